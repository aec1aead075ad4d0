import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { serve } from "@/test-server";
import { type Asked, admin, defaultQuotas, makeUser, userAnswers } from "./mock";
import UsersPage from "./UsersPage";

const disabled = makeUser({ id: 3, username: "zhouhao", name: "周昊", active: false });

function start(address = "/users/user_list") {
  const asked: Asked = { lists: [], bodies: [] };
  const server = serve(userAnswers([admin, makeUser({}), disabled], asked));
  return { asked, server, ...renderPage(UsersPage, { at: address }) };
}

/** Found by its words: in the test browser Ant Design gives every title the same id. */
async function dialogue(title: string): Promise<HTMLElement> {
  const found = (await screen.findByText(title)).closest<HTMLElement>('[role="dialog"]');
  if (!found) throw new Error(`${title} is in no dialogue`);
  return found;
}

const row = async (name: string) => {
  const cell = await screen.findByText(name);
  const found = cell.closest("tr");
  if (!found) throw new Error(`${name} is in no row`);
  return within(found);
};

describe("the list of users", () => {
  it("S020 S058 S166 shows people with their quotas, in the units of people", async () => {
    start();
    const zhang = await row("zhangmin");
    expect(zhang.getByText("4+1")).toBeTruthy();
    expect(zhang.getByText("40")).toBeTruthy();
    expect(zhang.getByText("500")).toBeTruthy();
    expect((await row("admin")).getByText("不限")).toBeTruthy();
    expect(await screen.findByText("共 3 人 · 启用 2 · 管理员 1")).toBeTruthy();
  });

  it("S314 asks the server for what the address says, and writes filters into the address", async () => {
    const { asked, user, search } = start("/users/user_list?page=2&sort=name&order=asc&role=2&q=zh");
    await row("zhangmin");
    expect(Object.fromEntries(asked.lists[0] ?? [])).toEqual({
      page: "2",
      size: "20",
      sort: "name",
      order: "asc",
      role: "2",
      q: "zh",
    });
    await user.click(await screen.findByText("禁用 1"));
    await waitFor(() => expect(search().get("active")).toBe("false"));
    expect(search().get("page")).toBeNull();
    await user.click(screen.getByRole("button", { name: "显卡" }));
    await waitFor(() => expect(asked.lists.at(-1)?.get("sort")).toBe("GPUNumlimit"));
  });

  it("shows the server's words and the request when the list fails, and recovers", async () => {
    const { user } = start("/users/user_list?q=fail");
    const alert = await screen.findByRole("alert");
    expect(within(alert).getByText("用户列表没有取到")).toBeTruthy();
    expect(within(alert).getByText("数据库正在升级，请稍后再试")).toBeTruthy();
    expect(within(alert).getByRole("button", { name: "请求 req-1" })).toBeTruthy();
    await user.clear(screen.getByRole("searchbox"));
    await row("zhangmin");
  });

  it("offers to lift filters that let nothing through", async () => {
    const { user } = start("/users/user_list?q=nobody");
    expect(await screen.findByText("没有符合条件的结果")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "清除筛选" }));
    await row("zhangmin");
  });
});

describe("creating and changing", () => {
  it("S318 S261 S168 puts a taken name to its field, then creates", async () => {
    const { asked, user, search } = start("/users/user_list?panel=new");
    const name = await screen.findByRole("textbox", { name: "用户名" });
    await user.type(name, "failtaken");
    await user.type(screen.getByRole("textbox", { name: "姓名" }), "李佳");
    await user.click(screen.getByRole("button", { name: "创建" }));
    expect(await screen.findByText("用户名已经被使用")).toBeTruthy();
    expect(screen.getByText("1 处需要修改")).toBeTruthy();
    expect(document.activeElement).toBe(name);
    await user.clear(name);
    await user.type(name, "lijia");
    await user.click(screen.getByRole("button", { name: "创建" }));
    expect(await screen.findByText("已创建用户 lijia")).toBeTruthy();
    expect(search().get("panel")).toBeNull();
    expect(asked.bodies.at(-1)).toMatchObject({
      what: "user",
      which: ["all"],
      data: {
        username: "lijia",
        name: "李佳",
        role: 2,
        mustChangePassword: true,
        CPUPeriodQuota: 3_200_000,
        diskQuota: 500 * 1024 ** 3,
      },
    });
  });

  it("lets a new user keep the first password where that is unticked", async () => {
    const { asked, user } = start("/users/user_list?panel=new");
    await user.type(await screen.findByRole("textbox", { name: "用户名" }), "robot");
    await user.type(screen.getByRole("textbox", { name: "姓名" }), "脚本");
    await user.click(screen.getByRole("checkbox", { name: /须换成自己的密码/ }));
    await user.click(screen.getByRole("button", { name: "创建" }));
    expect(await screen.findByText("已创建用户 lijia")).toBeTruthy();
    expect(asked.bodies.at(-1)).toMatchObject({ data: { username: "robot", mustChangePassword: false } });
  });

  it("S253 refuses a name of the wrong form before asking the server", async () => {
    const { asked, user } = start("/users/user_list?panel=new");
    await user.type(await screen.findByRole("textbox", { name: "用户名" }), "a b");
    await user.click(screen.getByRole("button", { name: "创建" }));
    expect(await screen.findByText(/2–20 位字母/)).toBeTruthy();
    expect(asked.bodies).toEqual([]);
  });

  it("S319 S167 sends only what was changed", async () => {
    const { asked, user } = start("/users/user_list?panel=edit&id=2");
    const cores = await screen.findByRole("spinbutton", { name: "CPU" });
    expect(cores).toHaveProperty("value", "40");
    await user.clear(cores);
    await user.type(cores, "8.5");
    await user.click(screen.getByRole("button", { name: "保存" }));
    expect(await screen.findByText("已保存")).toBeTruthy();
    expect(asked.bodies).toEqual([
      { what: "user", which: ["CPUPeriodQuota"], data: { CPUPeriodQuota: 850_000 } },
    ]);
  });

  it("asks before a form that was typed into is closed", async () => {
    const { user, search } = start("/users/user_list?panel=new");
    await user.type(await screen.findByRole("textbox", { name: "姓名" }), "李");
    await user.click(screen.getByRole("button", { name: "取消" }));
    await user.click(await screen.findByRole("button", { name: "继续填写" }));
    expect(search().get("panel")).toBe("new");
  });

  it("S322 gives somebody a new password", async () => {
    const { asked, user } = start("/users/user_list?panel=password&id=2");
    const field = await screen.findByRole("textbox", { name: "新密码" });
    await user.clear(field);
    await user.type(field, "Lab2026xk7");
    await user.click(screen.getByRole("button", { name: "重置" }));
    expect(await screen.findByText("已重置 zhangmin 的密码")).toBeTruthy();
    expect(asked.bodies).toEqual([{ newPassword: "Lab2026xk7" }]);
  });
});

describe("switching off and leaving", () => {
  it("does not let me switch off or delete myself, and says why", async () => {
    const { user } = start();
    await user.click((await row("admin")).getByRole("button", { name: "admin 的更多操作" }));
    const item = await screen.findByRole("menuitem", { name: /禁用/ });
    expect(item.getAttribute("aria-disabled")).toBe("true");
    expect(item.textContent).toContain("不能禁用自己的账号");
  });

  async function askToDisable(name: string) {
    const started = start();
    await started.user.click((await row(name)).getByRole("button", { name: `${name} 的更多操作` }));
    await started.user.click(await screen.findByRole("menuitem", { name: "禁用" }));
    return { ...started, dialog: within(await dialogue(`禁用用户 ${name}？`)) };
  }

  it("S323 switches off after a question that says what is running, and stops it", async () => {
    const { asked, user, dialog } = await askToDisable("zhangmin");
    expect(await dialog.findByText("2 个运行中的实例，占 1 张卡")).toBeTruthy();
    expect(dialog.getByText("ins_zhangmin_GPU2xk7q")).toBeTruthy();
    expect(dialog.getByText("gpu02 暂时连不上，恢复后会自动停止上面的实例")).toBeTruthy();
    expect(dialog.getByText("2 处登录、1 个打开的终端会断开；1 个镜像任务会继续做完")).toBeTruthy();
    expect(dialog.getByRole("checkbox", { name: "停止这些实例" })).toHaveProperty("checked", true);
    await user.click(dialog.getByRole("button", { name: "禁用" }));
    await waitFor(() => expect(asked.bodies).toEqual([{ ids: [2], active: false, stopInstances: true }]));
  });

  it("leaves instances running only when that is unticked, and says what it means", async () => {
    const { asked, user, dialog } = await askToDisable("zhangmin");
    await user.click(await dialog.findByRole("checkbox", { name: "停止这些实例" }));
    expect(dialog.getByText(/不停止的话，实例会继续运行/)).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "禁用" }));
    await waitFor(() => expect(asked.bodies).toEqual([{ ids: [2], active: false, stopInstances: false }]));
  });

  it("asks about what several people run together", async () => {
    const { asked, server, user } = start();
    await row("zhouhao");
    await user.click(screen.getByRole("checkbox", { name: "选择 zhangmin" }));
    await user.click(screen.getByRole("checkbox", { name: "选择 zhouhao" }));
    const bar = screen.getByRole("region", { name: "批量操作" });
    await user.click(within(bar).getByRole("button", { name: "禁用" }));
    const dialog = within(await dialogue("禁用 2 个用户？"));
    expect(await dialog.findByText("2 个运行中的实例，占 1 张卡")).toBeTruthy();
    expect(dialog.getByText("zhangmin · gpu01 · 1 张卡")).toBeTruthy();
    expect(server.count("GET /api/users/holdings")).toBe(1);
    await user.click(dialog.getByRole("button", { name: "禁用" }));
    await waitFor(() => expect(asked.bodies).toEqual([{ ids: [2, 3], active: false, stopInstances: true }]));
  });

  it("S320 leads to the page on which somebody leaves, where deleting begins", async () => {
    const { router, user } = start();
    await user.click((await row("zhangmin")).getByRole("button", { name: "zhangmin 的更多操作" }));
    await user.click(await screen.findByRole("menuitem", { name: "离开并删除" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/users/leaving"));
    expect(router.state.location.search).toBe("?name=zhangmin");
  });

  it("S320 takes all who are selected to that page", async () => {
    const { router, user } = start();
    await row("zhouhao");
    await user.click(screen.getByRole("checkbox", { name: "选择 zhangmin" }));
    await user.click(screen.getByRole("checkbox", { name: "选择 zhouhao" }));
    const bar = screen.getByRole("region", { name: "批量操作" });
    await user.click(within(bar).getByRole("button", { name: "离开并删除" }));
    await waitFor(() => expect(router.state.location.search).toBe("?name=zhangmin,zhouhao"));
  });
});

describe("what ends by itself", () => {
  it("sends the end of the account's last day, and only that", async () => {
    const { asked, server, user } = start("/users/user_list?panel=edit&id=2");
    const field = await screen.findByRole("textbox", { name: "到期日" });
    await user.click(field);
    await user.type(field, "2060-12-31{Enter}");
    await user.click(screen.getByRole("button", { name: "保存" }));
    expect(await screen.findByText("已保存")).toBeTruthy();
    expect(asked.bodies).toEqual([{ end: new Date(2060, 11, 31, 23, 59, 59, 999).toISOString() }]);
    expect(server.count("PUT /api/users/2")).toBe(0);
  });

  it("shows what ends when, and ends quotas for a time early", async () => {
    const before = { ...defaultQuotas };
    const temporaryQuotas = { until: "2099-12-10T15:59:59.999Z", before };
    const asked: Asked = { lists: [], bodies: [] };
    const leaver = makeUser({ endsAt: "2099-12-31T15:59:59.999Z", temporaryQuotas });
    const server = serve(userAnswers([admin, leaver], asked));
    const { user } = renderPage(UsersPage, { at: "/users/user_list" });
    const zhang = await row("zhangmin");
    expect(zhang.getByText(/到期 · 临时配额到/)).toBeTruthy();
    await user.click(zhang.getByRole("button", { name: "zhangmin 的更多操作" }));
    await user.click(await screen.findByRole("menuitem", { name: "恢复原来的配额" }));
    expect(await screen.findByText("已恢复原来的配额")).toBeTruthy();
    expect(server.count("DELETE /api/users/2/temporary-quotas")).toBe(1);
  });
});

describe("creating many", () => {
  it("S020 checks first, reports line by line, then shows the passwords that were made", async () => {
    const { asked, user } = start("/users/user_list?panel=import");
    const table = await screen.findByRole("textbox", { name: "用户表格" });
    await user.click(table);
    await user.paste("用户名\t手机\nlisi\t\nwangwu\t123");
    await user.click(screen.getByRole("button", { name: "检查" }));
    expect(await screen.findByText("1 行可以创建，1 行有问题，创建时会跳过")).toBeTruthy();
    expect(screen.getByText("手机号码不正确")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "创建 1 人" }));
    expect(await screen.findByText("aB3xyz789q")).toBeTruthy();
    expect(asked.bodies).toMatchObject([
      { dryRun: true, mustChangePassword: true },
      { dryRun: false, mustChangePassword: true },
    ]);
  });
});
