// The whole page in a test browser: guard, frame, end of a session. Only the server is made up.
import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { dropToken, storedToken, storeToken } from "@/shared/api/token";
import { findingsKey } from "@/shared/findings/api";
import { readCookie } from "@/shared/lib/cookies";
import { writeLocal } from "@/shared/lib/local-items";
import { reportError, useErrorLog } from "@/shared/stores/error-log";
import { clearSession, useSession } from "@/shared/stores/session";
import {
  json,
  makeToken,
  noWorksheets,
  person,
  problem,
  publicSettings,
  serve,
  signedIn,
  updateInfo,
} from "@/test-server";
import { App } from "./App";
import { showSessionExpired } from "./feedback";
import { queryClient } from "./query-client";
import { currentRouter, useRouter } from "./routing/router-store";
import { startRouting } from "./session/guard";
import { clearTags } from "./tags/tags";

// The real module, with a spy: its message may already be gone when the test looks.
vi.mock("./feedback", { spy: true });

const address = () => location.pathname + location.search;
const heading = (name: string) => screen.findByRole("heading", { level: 1, name });

async function start(path: string) {
  history.replaceState(null, "", path);
  await startRouting();
  return render(<App />);
}

/** Changes the cookie like another tab of this browser, which sends an event. */
function inAnotherTab(change: () => void) {
  change();
  const tab = new BroadcastChannel("yunlab-token");
  tab.postMessage(null);
  tab.close();
}

beforeEach(() => {
  currentRouter()?.dispose();
  useRouter.setState({ router: null, generation: 0 });
  clearSession();
  clearTags();
  queryClient.clear();
  useErrorLog.getState().clear();
});

describe("guard", () => {
  it("S086 S087 without a token every page leads to sign-in with the first segment", async () => {
    serve();
    await start("/profile/password?x=1");
    await heading("登录");
    expect(address()).toBe("/login?redirect=profile");
    await waitFor(() => expect(document.title).toBe("登录 - 云实验室"));
  });

  it("S083 S163 S206 S207 with a token a deep link lands where it pointed", async () => {
    signedIn(2);
    const server = serve();
    await start("/profile/password?x=1");
    await heading("修改密码");
    expect(address()).toBe("/profile/password?x=1");
    expect(server.count("POST /api/renew")).toBe(1);
    expect(useSession.getState()).toMatchObject({ id: 7, name: "张敏", role: 2, routerReset: false });
    const { generation } = useRouter.getState();
    await act(() => currentRouter()?.navigate("/profile/about"));
    await heading("关于 云实验室");
    expect(useRouter.getState().generation).toBe(generation);
  });

  it("S081 S039 with a token /login and / lead to the dashboard", async () => {
    signedIn(2);
    serve();
    await start("/login");
    await heading("首页");
    expect(address()).toBe("/dashboard");
    await waitFor(() => expect(document.title).toBe("首页 - 云实验室"));
  });

  it.each([false, true])(
    "a path that looks like another host's is only a path; signed in: %s",
    async (known) => {
      if (known) signedIn(2);
      serve();
      history.replaceState(null, "", `${location.origin}//evil.example/path`);
      await startRouting();
      render(<App />);
      await heading(known ? "首页" : "登录");
    },
  );

  it("S040 an unknown address, and one of another role, lead to the dashboard", async () => {
    signedIn(2);
    serve();
    await start("/nowhere/at/all");
    await heading("首页");
    act(() => void currentRouter()?.navigate("/users/user_list"));
    await waitFor(() => expect(address()).toBe("/dashboard"));
  });

  it("S084 S085 a profile that does not come clears the token and says why", async () => {
    signedIn(2);
    serve({ "GET /api/users/7": () => problem(500, "internal", "数据库没有应答") });
    await start("/profile/detail");
    await heading("登录");
    expect(await screen.findByText("数据库没有应答")).toBeDefined();
    expect(address()).toBe("/login?redirect=profile");
    expect(storedToken()).toBeNull();
  });

  it("S263 a malformed token is named and dropped", async () => {
    localStorage.setItem("login_token", "a.b");
    serve();
    await start("/dashboard");
    await heading("登录");
    expect(await screen.findByText("token malformed")).toBeDefined();
    expect(storedToken()).toBeNull();
  });
});

describe("end of a session", () => {
  it("S205 S405 a 401 later leads to sign-in with the warning", async () => {
    signedIn(2);
    let refuse = false;
    serve({
      "GET /api/users/7": () => (refuse ? problem(401, "unauthorized", "x") : json(person(2))),
    });
    await start("/profile/detail");
    await heading("个人资料");
    refuse = true;
    await act(() => queryClient.invalidateQueries({ queryKey: ["users"] }));
    await heading("登录");
    expect(await screen.findByText("登录过期，重新登录...")).toBeDefined();
    expect(address()).toBe("/login?redirect=profile");
    expect(storedToken()).toBeNull();
  });

  it("a token that ran out by its time ends it too, at the next call and at the next page", async () => {
    signedIn(2);
    serve({
      "GET /api/users/7": (request) =>
        request.headers.has("authorization") ? json(person(2)) : problem(401, "unauthorized", "x"),
    });
    await start("/profile/detail");
    await heading("个人资料");
    dropToken();
    await act(() => queryClient.invalidateQueries({ queryKey: ["users"] }));
    await heading("登录");
    expect(await screen.findByText("登录过期，重新登录...")).toBeDefined();
  });

  it("another account in another tab takes over this one", async () => {
    signedIn(2);
    serve({ "GET /api/users/8": () => json({ ...person(1), id: 8, name: "刘洋" }) });
    await start("/profile/about");
    await heading("关于 云实验室");
    storeToken(makeToken({ id: 8, role: 1, age: 0 }));
    act(() => void currentRouter()?.navigate("/profile/detail"));
    await screen.findByRole("button", { name: "刘洋，账号菜单" });
    expect(useSession.getState()).toMatchObject({ id: 8, role: 1 });
    expect(address()).toBe("/profile/detail");
  });

  it("sign-out in another tab ends it here, without a click", async () => {
    signedIn(2);
    serve();
    await start("/profile/detail");
    await heading("个人资料");
    inAnotherTab(() => localStorage.removeItem("login_token"));
    await heading("登录");
    expect(await screen.findByText("登录过期，重新登录...")).toBeDefined();
    expect(address()).toBe("/login?redirect=profile");
  });

  it("a page that has not heard yet of another account asks nothing in that name", async () => {
    signedIn(1);
    const other = makeToken({ id: 8, role: 2, age: 0 });
    const server = serve(
      {
        "GET /api/users/8": () => json({ ...person(2), id: 8, name: "刘洋" }),
        "GET /api/findings": ({ headers }) =>
          headers.has("authorization") ? json({ items: [], total: 0 }) : problem(401, "unauthorized", "x"),
      },
      1,
    );
    await start("/profile/about");
    await heading("关于 云实验室");
    localStorage.setItem("login_token", other);
    await act(() => queryClient.invalidateQueries({ queryKey: [findingsKey] }));
    await screen.findByRole("button", { name: "刘洋，账号菜单" });
    expect(server.calls).not.toContainEqual(
      expect.objectContaining({ key: "GET /api/findings", token: other }),
    );
    expect(address()).toBe("/profile/about");
  });

  it("sign-in in another tab opens the page that was wanted here", async () => {
    serve();
    await start("/profile/password?x=1");
    await heading("登录");
    inAnotherTab(() => localStorage.setItem("login_token", makeToken({ id: 7, role: 2, age: 0 })));
    await heading("修改密码");
    expect(address()).toBe("/profile/password?x=1");
  });

  it("a page that was still opening is where sign-in leads, and does not put its address above the login page's", async () => {
    signedIn(2);
    serve();
    await start("/profile/detail");
    await heading("个人资料");
    const opening = currentRouter()?.navigate("/users/groupmember_list");
    inAnotherTab(() => localStorage.removeItem("login_token"));
    await heading("登录");
    await opening;
    expect(address()).toBe("/login?redirect=users");
  });

  it("S386 a 403 that says 禁用 shows the notification titled Failed", async () => {
    signedIn(2);
    serve({ "GET /api/users/7": () => problem(403, "account_disabled", "账号已禁用，请联系管理员") });
    await start("/dashboard");
    await heading("登录");
    expect(await screen.findByText("Failed")).toBeDefined();
    expect(screen.getByText("账号已禁用，请联系管理员")).toBeDefined();
  });

  it("S100 S204 退出登录 ends it here and there", async () => {
    signedIn(2);
    const server = serve();
    const user = userEvent.setup();
    await start("/dashboard");
    await heading("首页");
    await user.click(screen.getByRole("button", { name: "张敏，账号菜单" }));
    await user.click(await screen.findByRole("menuitem", { name: "退出登录" }));
    await heading("登录");
    expect(address()).toBe("/login");
    expect(server.count("POST /api/auth/logout")).toBe(1);
    expect(storedToken()).toBeNull();
    expect(useSession.getState()).toMatchObject({ token: null, name: "", routerReset: true });
    // The page that was left made no call without its token.
    const after = server.calls.slice(
      server.calls.findIndex((call) => call.key === "POST /api/auth/logout") + 1,
    );
    expect(after.filter((call) => call.key !== "GET /api/settings/public")).toEqual([]);
  });

  it("what is refused while one signs out is no session that ran out", async () => {
    signedIn(2);
    vi.mocked(showSessionExpired).mockClear();
    let ended = false;
    serve({
      "GET /api/users/7": () => (ended ? problem(401, "unauthorized", "x") : json(person(2))),
      "POST /api/auth/logout": async () => {
        ended = true;
        await queryClient.invalidateQueries({ queryKey: ["users"] });
        return new Response(null, { status: 204 });
      },
    });
    const user = userEvent.setup();
    await start("/profile/detail");
    await heading("个人资料");
    await user.click(screen.getByRole("button", { name: "张敏，账号菜单" }));
    await user.click(await screen.findByRole("menuitem", { name: "退出登录" }));
    await heading("登录");
    expect(address()).toBe("/login");
    expect(showSessionExpired).not.toHaveBeenCalled();
  });
});

describe("frame", () => {
  it("S095 S096 S098 S099 the user menu has all its entries", async () => {
    signedIn(2);
    serve({ "GET /api/settings/public": () => json({ ...publicSettings, faqLink: "https://faq.test/" }) });
    const user = userEvent.setup();
    await start("/dashboard");
    await heading("首页");
    await user.click(screen.getByRole("button", { name: "张敏，账号菜单" }));
    const menu = await screen.findByRole("menu");
    const target = (name: string) => within(menu).getByRole("link", { name }).getAttribute("href");
    expect(target("个人中心")).toBe("/profile/detail");
    expect(target("修改密码")).toBe("/profile/password");
    expect(target("云实验室")).toBe("/profile/about");
    expect(target("常见问题")).toBe("https://faq.test/");
    expect(target("工单系统")).toBe("/profile/worksheet");
  });

  it.each([
    ["administrators see what is to be done", 1, "张敏，账号菜单，5 个工单"],
    ["others where something happened", 2, "张敏，账号菜单，2 个工单"],
  ])("S097 S283 the badge of work orders: %s", async (_, role, shown) => {
    signedIn(role);
    serve({ "GET /api/worksheets": () => json({ ...noWorksheets, UnDoTotal: 5, unread: 2 }) }, role);
    await start("/profile/about");
    await screen.findByRole("button", { name: shown });
  });

  it("S091 the badge shows when the latest version is newer, and S090 the version leads to the about page", async () => {
    signedIn(2);
    serve({
      "GET /api/update": () => json({ ...updateInfo, latestversion: "4.4.0" }),
    });
    await start("/dashboard");
    const link = await screen.findByRole("link", { name: /4\.3\.29\s*新版本/ });
    expect(link.getAttribute("href")).toBe("/profile/about");
  });

  it("S093 the bell appears with the first error and leads to the log", async () => {
    signedIn(2);
    serve();
    await start("/dashboard");
    await heading("首页");
    expect(screen.queryByRole("link", { name: /错误日志/ })).toBeNull();
    act(() => reportError({ err: new Error("坏了"), info: "测试" }));
    await userEvent.click(screen.getByRole("link", { name: "错误日志，1 条" }));
    await heading("错误日志");
    expect(screen.getByText("Error：坏了")).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: "清空" }));
    expect(screen.getByText("没有错误")).toBeDefined();
  });

  it("S107 S108 the miner notice goes for seven days", async () => {
    signedIn(2);
    const minerNotice = "严禁挖矿。违者禁用账号并通报。";
    serve({ "GET /api/settings/public": () => json({ ...publicSettings, minerNotice }) });
    await start("/dashboard");
    await userEvent.click(await screen.findByRole("button", { name: "7天内不再显示该提醒" }));
    expect(await screen.findByText("7天内不再显示该提醒")).toBeDefined();
    expect(screen.queryByRole("note")).toBeNull();
    expect(readCookie("miner_notice")).not.toBeNull();
  });

  it("S107 the miner notice stands where it was before the settings come, and goes if they have none", async () => {
    signedIn(2);
    writeLocal("minerNotice", "严禁挖矿。违者禁用账号并通报。");
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    serve({
      "GET /api/settings/public": async () => {
        await held;
        return json({ ...publicSettings, minerNotice: "" });
      },
    });
    await start("/dashboard");
    expect((await screen.findByRole("note")).textContent).toContain("违者禁用账号");
    act(answer);
    await waitFor(() => expect(screen.queryByRole("note")).toBeNull());
  });

  it("S103 S402 the tags' menu closes, and Delete does too", async () => {
    signedIn(2);
    serve();
    const user = userEvent.setup();
    await start("/profile/about");
    await heading("关于 云实验室");
    await act(() => currentRouter()?.navigate("/profile/password"));
    await heading("修改密码");
    const bar = screen.getByRole("navigation", { name: "打开的页面" });
    const tag = (name: string) => within(bar).queryByRole("link", { name });
    await user.pointer({ keys: "[MouseRight]", target: within(bar).getByRole("link", { name: "关于" }) });
    await user.click(await screen.findByRole("menuitem", { name: "关闭" }));
    await waitFor(() => expect(tag("关于")).toBeNull());
    expect(address()).toBe("/profile/password");
    within(bar).getByRole("link", { name: "修改密码" }).focus();
    await user.keyboard("{Delete}");
    await waitFor(() => expect(tag("修改密码")).toBeNull());
    // The last pinned one: the network disk.
    await waitFor(() => expect(address()).toMatch(/^\/netdisk\/files/));
  });

  it("S199 the state of the side menu is kept in a cookie", async () => {
    signedIn(2);
    serve();
    await start("/dashboard");
    await heading("首页");
    await userEvent.click(screen.getByRole("button", { name: "收起菜单" }));
    expect(readCookie("sidebar_status")).toBe("0");
    await userEvent.click(screen.getByRole("button", { name: "展开菜单" }));
    expect(readCookie("sidebar_status")).toBe("1");
  });

  it("S391 without fullscreen the toggle says so", async () => {
    signedIn(2);
    serve();
    await start("/dashboard");
    await heading("首页");
    await userEvent.click(screen.getByRole("button", { name: "全屏" }));
    expect(await screen.findByText("you browser can not work")).toBeDefined();
  });
});

describe("sign-in", () => {
  it("S203 S259 trims the name, remembers it, and goes where the address wants", async () => {
    const server = serve({ "POST /api/auth": () => json({ jwt: makeToken({ age: 0 }) }) });
    const user = userEvent.setup();
    await start("/profile/about");
    await heading("登录");
    await user.type(screen.getByLabelText("用户名"), "  zhangmin ");
    await user.type(screen.getByLabelText("密码"), "geheim1");
    await user.click(screen.getByRole("button", { name: "登录" }));
    await heading("关于 云实验室");
    const sent = server.calls.find((call) => call.key === "POST /api/auth");
    expect(JSON.parse(sent?.body ?? "")).toEqual({ username: "zhangmin", password: "geheim1" });
    expect(localStorage.getItem("login_name")).toBe("zhangmin");
    expect(address()).toBe("/profile/about");
  });

  it("S138 S305 says that there is no signing up", async () => {
    serve();
    await start("/login");
    await screen.findByText(/账号由管理员建立，不开放注册/);
    expect(screen.queryByRole("link", { name: /注册/ })).toBeNull();
  });

  it("S262 says 用户名或密码错误 and stays", async () => {
    serve({ "POST /api/auth": () => problem(422, "wrong_credentials", "用户名或密码错误") });
    const user = userEvent.setup();
    await start("/login");
    await heading("登录");
    await user.type(screen.getByLabelText("用户名"), "zhangmin");
    await user.type(screen.getByLabelText("密码"), "falsch1{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("用户名或密码错误");
    expect(screen.queryByText("登录过期，重新登录...")).toBeNull();
  });

  it("names the wait when there were too many tries", async () => {
    serve({
      "POST /api/auth": () =>
        problem(429, "too_many_requests", "操作过于频繁，请 30 秒后再试", { "retry-after": "30" }),
    });
    const user = userEvent.setup();
    await start("/login");
    await heading("登录");
    await user.type(screen.getByLabelText("用户名"), "zhangmin");
    await user.type(screen.getByLabelText("密码"), "falsch1{Enter}");
    expect((await screen.findByRole("alert")).textContent).toMatch(/操作过于频繁，(30|29) 秒后可以重试/);
    expect(screen.getByRole("button", { name: "登录" })).toHaveProperty("disabled", true);
  });
});

describe("password", () => {
  it("S260 unequal passwords are 密码不一致, and a change leads to sign-in", async () => {
    signedIn(2);
    const server = serve({ "PUT /api/users/7/passwd": () => new Response(null, { status: 204 }) });
    const user = userEvent.setup();
    await start("/profile/password");
    await heading("修改密码");
    await user.type(screen.getByLabelText("原密码"), "alt12345");
    await user.type(screen.getByLabelText("新密码"), "neu12345");
    await user.type(screen.getByLabelText("再输一次"), "neu1234");
    await user.click(screen.getByRole("button", { name: "修改密码" }));
    expect(await screen.findByText("密码不一致")).toBeDefined();
    await user.type(screen.getByLabelText("再输一次"), "5");
    await user.click(screen.getByRole("button", { name: "修改密码" }));
    await heading("登录");
    const sent = server.calls.find((call) => call.key === "PUT /api/users/7/passwd");
    expect(JSON.parse(sent?.body ?? "")).toEqual({ oldPassword: "alt12345", newPassword: "neu12345" });
    expect(storedToken()).toBeNull();
  });
});
