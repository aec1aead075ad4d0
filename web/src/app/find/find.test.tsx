import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { makeInstance } from "@/shared/compute/mock";
import { renderPage } from "@/shared/list/render-page";
import { SearchInput } from "@/shared/table/SearchInput";
import { json, problem, serve } from "@/test-server";
import { FindButton } from "./FindButton";
import { FindDock } from "./FindDock";
import { initialsOf } from "./initials";
import { bestOf, fitOf, wordsOf } from "./matching";
import { quickActOf } from "./quick-acts";
import { keepRecent, recentOf } from "./recent";
import { fileChoice } from "./server-choices";

const thing = (kind: string, id: string, title: string, more: object = {}) => ({
  kind,
  id,
  title,
  about: "",
  owner: "",
  ...more,
});

const noFiles = { items: [], searching: false, limited: false };

function Frame() {
  return (
    <>
      <FindButton />
      <main id="main">
        <SearchInput placeholder="按名称搜索" value="" onSearch={() => undefined} />
        <button type="button">别处</button>
      </main>
      <FindDock />
    </>
  );
}

function start(answers: Parameters<typeof serve>[0] = {}, role = 1) {
  const asked: string[] = [];
  const server = serve({
    "GET /api/find": (request) => {
      asked.push(new URL(request.url).searchParams.get("q") ?? "");
      return json({ items: [] });
    },
    "GET /disk/api/find": () => json(noFiles),
    ...answers,
  });
  return { asked, ...server, ...renderPage(Frame, { at: "/", role, me: 7 }) };
}

async function openPalette(user: ReturnType<typeof renderPage>["user"]) {
  await user.keyboard("{Control>}k{/Control}");
  const dialog = await screen.findByRole("dialog", { name: "查找" });
  const field = within(dialog).getByRole("combobox", { name: "查找" });
  await waitFor(() => expect(document.activeElement).toBe(field));
  return { dialog, field };
}

const options = (dialog: HTMLElement) =>
  within(dialog)
    .getAllByRole("option")
    .map(({ textContent }) => textContent);

const currentOf = (dialog: HTMLElement) => within(dialog).getByRole("option", { selected: true }).textContent;

beforeEach(() => {
  localStorage.clear();
  vi.restoreAllMocks();
});

describe("what fits", () => {
  it("needs all words, and knows the first letters of Chinese", () => {
    expect(initialsOf("服务器列表")).toBe("fwqlb");
    expect(initialsOf("GPU 卡")).toBe("gpuk");
    const page = { title: "服务器列表", more: "资源管理 servers server list" };
    for (const typed of ["服务器", "fwq", "qlb", "资源 列表", "SERVER", "list fw"])
      expect(fitOf(wordsOf(typed), page), typed).not.toBeNull();
    for (const typed of ["服务 实例", "x", "f"]) expect(fitOf(wordsOf(typed), page), typed).toBeNull();
  });

  it("has the best first and no more than wanted", () => {
    const titles = ["用户组列表", "用户", "新建用户", "我的用户"];
    expect(bestOf(titles, ["用户"], 3, (title) => ({ title }))).toEqual(["用户", "用户组列表", "新建用户"]);
  });

  it("takes an act from the first or the last word", () => {
    expect(quickActOf(["续期", "检测"])).toEqual({ act: "extend", rest: ["检测"] });
    expect(quickActOf(["检测", "终端"])).toEqual({ act: "terminal", rest: ["检测"] });
    expect(quickActOf(["exten"])).toEqual({ act: "extend", rest: [] });
    expect(quickActOf(["检测"])).toBeNull();
    expect(quickActOf(["s"])).toBeNull();
    expect(quickActOf([])).toBeNull();
  });
});

describe("what was chosen lately", () => {
  const choice = (name: string, to: string) =>
    ({ key: name, icon: "server", title: name, about: "", act: { to } }) as const;

  it("is kept for each user, the last first, and without what was done", () => {
    keepRecent(7, choice("一", "/a"));
    keepRecent(7, choice("二", "/b"));
    keepRecent(7, choice("一", "/a"));
    keepRecent(7, choice("action x", "/x"));
    keepRecent(8, choice("三", "/c"));
    expect(recentOf(7).map(({ title }) => title)).toEqual(["一", "二"]);
    expect(recentOf(8)).toEqual([choice("三", "/c")]);
    expect(recentOf(9)).toEqual([]);
  });

  it("leads nowhere else, whatever is stored", () => {
    for (const to of ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"]) {
      keepRecent(7, choice("坏", to));
      expect(recentOf(7)).toEqual([]);
    }
    localStorage.setItem("recent_finds", "{");
    expect(recentOf(7)).toEqual([]);
  });
});

describe("a file that was found", () => {
  it("says where it is, and does not pretend to another ending", () => {
    const file = { isDir: false, size: 2048, modified: "2026-11-20T10:00:00Z" };
    const one = fileChoice({ ...file, path: "/home/a b/c\u202etxt.exe" });
    expect([one.title, one.act]).toEqual([
      "c\ufffdtxt.exe",
      { to: "/netdisk/files/home/a%20b/c%E2%80%AEtxt.exe" },
    ]);
    expect(one.about).toMatch(/^home\/a b · 2\.00 KB · /);
    const folder = fileChoice({ path: "/groups/vision/", isDir: true, size: 0, modified: file.modified });
    expect([folder.title, folder.about, folder.icon]).toEqual(["vision", "groups", "folder"]);
  });
});

describe("查找", () => {
  it("finds pages, actions, things and files, and opens what is chosen by the keyboard", async () => {
    const { user, router } = start({
      "GET /api/find": () =>
        json({
          items: [
            thing("instance", "i1", "检测服务", { about: "运行中", owner: "张敏" }),
            thing("server", "s1", "服务器 01"),
            thing("public_image", "hub.lab/服务:latest", "服务"),
          ],
        }),
      "GET /disk/api/find": () =>
        json({
          ...noFiles,
          items: [{ path: "/home/服务/x 1.py", isDir: false, size: 2048, modified: "2026-11-20T10:00:00Z" }],
        }),
    });
    const { dialog, field } = await openPalette(user);
    await user.type(field, "服务");
    const file = await within(dialog).findByRole("option", { name: /x 1\.py/ });
    expect(file.textContent).toContain("home/服务");
    const groups = () =>
      within(dialog)
        .getAllByRole("group")
        .map((group) => group.firstElementChild?.textContent);
    // The portal answers beside the disk.
    await waitFor(() => expect(groups()).toEqual(["页面", "操作", "实例", "服务器", "镜像", "文件", "更多"]));
    expect(options(dialog)).toContain("检测服务张敏 · 运行中");
    expect(currentOf(dialog)).toMatch(/^服务器列表/);
    await user.keyboard("{ArrowUp}{ArrowUp}");
    expect(field.getAttribute("aria-activedescendant")).toBe(file.id);
    await user.keyboard("{Enter}");
    await waitFor(() =>
      expect(router.state.location.pathname).toBe("/netdisk/files/home/%E6%9C%8D%E5%8A%A1/x%201.py"),
    );
    expect(screen.queryByRole("dialog", { name: "查找" })).toBeNull();
  });

  it("offers what was opened last, and only what the role has", async () => {
    keepRecent(7, { key: "r", icon: "server", title: "gpu-a01", about: "", act: { to: "/servers/x" } });
    const { user } = start({}, 2);
    await user.click(screen.getByRole("button", { name: "查找" }));
    const dialog = await screen.findByRole("dialog", { name: "查找" });
    expect(currentOf(dialog)).toBe("gpu-a01");
    expect(options(dialog)).toContain("创建实例");
    expect(options(dialog)).not.toContain("新建用户");
    const field = within(dialog).getByRole("combobox");
    await user.type(field, "xjyh");
    expect(options(dialog).some((text) => text?.includes("新建用户"))).toBe(false);
    await user.clear(field);
    await user.type(field, "cjsl");
    expect(currentOf(dialog)).toBe("创建实例");
  });

  it("asks after a pause, and shows of an old answer only what fits", async () => {
    const asked: string[] = [];
    const { user } = start({
      "GET /api/find": (request) => {
        asked.push(new URL(request.url).searchParams.get("q") ?? "");
        return json({ items: [thing("server", "s1", "gpu-a01"), thing("server", "s2", "gpu-b01")] });
      },
    });
    const { dialog, field } = await openPalette(user);
    await user.type(field, "gpu-");
    expect(await within(dialog).findByRole("option", { name: "gpu-b01" })).toBeTruthy();
    expect(asked).toEqual(["gpu-"]);
    await user.type(field, "a");
    expect(within(dialog).getByRole("option", { name: "gpu-a01" })).toBeTruthy();
    expect(within(dialog).queryByRole("option", { name: "gpu-b01" })).toBeNull();
  });

  it("goes on asking while the disk has not looked everywhere", async () => {
    let asked = 0;
    const { user } = start({
      "GET /disk/api/find": (request) => {
        if (new URL(request.url).searchParams.get("q") !== "weights") return json(noFiles);
        asked += 1;
        const items = [
          { path: "/share/weights.pt", isDir: false, size: 1, modified: "2026-11-20T10:00:00Z" },
        ];
        return json(asked < 3 ? { ...noFiles, searching: true } : { ...noFiles, items });
      },
    });
    const { dialog, field } = await openPalette(user);
    await user.type(field, "weights");
    expect(
      await within(dialog).findByRole("option", { name: /weights\.pt/ }, { timeout: 5000 }),
    ).toBeTruthy();
    expect(asked).toBe(3);
  });

  it("says what could not be looked for, and tries again", async () => {
    let fails = true;
    const { user } = start({
      "GET /api/find": () =>
        fails
          ? problem(500, "internal", "服务器出错了")
          : json({ items: [thing("server", "s1", "gpu-a01")] }),
    });
    const { dialog, field } = await openPalette(user);
    await user.type(field, "gpu");
    expect((await within(dialog).findByRole("alert")).textContent).toContain("服务器出错了");
    fails = false;
    await user.click(within(dialog).getByRole("button", { name: "重试" }));
    expect(await within(dialog).findByRole("option", { name: "gpu-a01" })).toBeTruthy();
    expect(within(dialog).queryByRole("alert")).toBeNull();
  });

  it("extends one's own instance in place", async () => {
    const sent: string[] = [];
    const one = makeInstance({ id: "i1", name: "ins_a_GPU1", note: "检测", stopAt: "2126-11-20T10:00:00Z" });
    const { user } = start({
      "GET /api/instances": () => json({ items: [one], total: 1 }),
      "POST /api/instances/i1/extend": async (request) => {
        sent.push((await request.json()).stopAt);
        return json(one);
      },
    });
    const { dialog, field } = await openPalette(user);
    await user.type(field, "续期");
    await user.click(await within(dialog).findByRole("option", { name: /续期 24 小时：检测/ }));
    expect(await screen.findByText(/检测 将于 .* 停止/)).toBeTruthy();
    expect(sent).toEqual(["2126-11-21T10:00:00.000Z"]);
  });
});

describe("the keys", () => {
  it("/ leads to the page's search, ? tells the keys, and neither while one types", async () => {
    const { user } = start();
    await user.keyboard("/");
    const field = screen.getByRole("searchbox", { name: "按名称搜索" });
    expect(document.activeElement).toBe(field);
    await user.keyboard("/?");
    expect(field).toHaveProperty("value", "/?");
    expect(screen.queryByRole("dialog")).toBeNull();
    await user.click(screen.getByRole("button", { name: "别处" }));
    await user.keyboard("?");
    const keys = await screen.findByRole("dialog", { name: "键盘快捷键" });
    expect(within(keys).getByText("到本页的搜索框")).toBeTruthy();
    // One dialog at a time.
    within(keys).getByRole("button").focus();
    await user.keyboard("{Control>}k{/Control}");
    expect(screen.queryByRole("dialog", { name: "查找" })).toBeNull();
  });
});
