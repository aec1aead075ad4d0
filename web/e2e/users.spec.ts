// 用户列表: making, changing, disabling and deleting people; the list's state in the address.
import type { Page } from "@playwright/test";
import { giveDay } from "./fixtures/days";
import { chooseEntry } from "./fixtures/menu";
import { arrive, enter, expect, fillLogin, open, pick, signInFirst, test } from "./fixtures/test";

const row = (page: Page, name: string) =>
  page.getByRole("table", { name: "用户列表" }).getByRole("row", { name: new RegExp(name) });
const search = (page: Page) => page.getByRole("searchbox", { name: "姓名、用户名、邮箱" });
const usernames = (page: Page) =>
  page.getByRole("table").locator("tbody tr small:first-of-type").allTextContents();

async function openUsers(page: Page, query = "") {
  await arrive(page);
  await open(page, `/users/user_list${query}`, "用户列表");
  await expect(page.getByRole("table", { name: "用户列表" })).toBeVisible();
}

async function act(page: Page, name: string, action: string) {
  await page.getByRole("button", { name: `${name} 的更多操作` }).click();
  await chooseEntry(page.getByRole("menuitem", { name: action }));
}

test("S020 S164 S166 S318 a user is made with quotas and can sign in", async ({
  page,
  api,
  faults,
  visitor,
}) => {
  // A first password is only good for choosing another.
  faults.expectStatus(422);
  await openUsers(page);
  await page.getByRole("button", { name: "新建用户" }).click();
  const drawer = page.getByRole("dialog", { name: "新建用户" });
  await drawer.getByLabel("用户名").fill("zhangmin");
  await drawer.getByLabel("姓名").fill("张敏");
  await drawer.getByLabel("初始密码").fill("lab2026a");
  await drawer.getByLabel("邮箱").fill("zhangmin@example.com");
  await drawer.getByLabel("手机").fill("13800000001");
  await drawer.getByLabel("实例", { exact: true }).fill("4");
  await drawer.getByLabel("临时增加的实例").fill("2");
  await drawer.getByLabel("GPU 卡").fill("8");
  await drawer.getByLabel("CPU").fill("32");
  await drawer.getByLabel("内存").fill("128");
  await drawer.getByLabel("网盘").fill("500");
  await drawer.getByRole("button", { name: "创建" }).click();
  await expect(page.getByText("已创建用户 zhangmin")).toBeVisible();
  await expect(drawer).toBeHidden();
  await expect(row(page, "zhangmin")).toContainText("张敏");
  expect(await api.userNamed("zhangmin")).toMatchObject({
    role: 2,
    instanceLimit: 4,
    instanceLimitOffset: 2,
    GPUNumlimit: 8,
    CPUPeriodQuota: 3_200_000,
    memoryLimit: 128 * 1024 ** 3,
    diskQuota: 500 * 1024 ** 3,
  });
  const theirs = await visitor();
  await signInFirst(theirs, "zhangmin", "lab2026a", "chosen2026");
  await expect(theirs.getByRole("region", { name: "我的配额" })).toContainText("500.00 GB");
  const steps = theirs.getByRole("list", { name: "开始使用" });
  await expect(steps.getByRole("link", { name: "改密码（已完成）" })).toBeVisible();
});

test("S253 S255 S257 S258 wrong input is named at its field, counted, and the first one gets the focus", async ({
  page,
}) => {
  await openUsers(page, "?panel=new");
  const drawer = page.getByRole("dialog", { name: "新建用户" });
  await drawer.getByLabel("用户名").fill("a_b c");
  await drawer.getByLabel("初始密码").fill("onlyletters");
  await drawer.getByLabel("邮箱").fill("nobody@");
  await drawer.getByLabel("手机").fill("12345678901");
  await drawer.getByRole("button", { name: "创建" }).click();
  for (const fault of ["2–20 位字母、数字", "请填写姓名", "邮箱格式不正确", "请输入 11 位手机号"]) {
    await expect(drawer.getByText(fault).first()).toBeVisible();
  }
  await expect(drawer.getByText("5 处需要修改")).toBeVisible();
  await expect(drawer.getByLabel("用户名")).toBeFocused();
});

test("S261 a taken name is refused at the field, in other letters too", async ({ page, api, faults }) => {
  faults.expectStatus(409);
  await api.user({ username: "ZhangMin" });
  await openUsers(page, "?panel=new");
  const drawer = page.getByRole("dialog", { name: "新建用户" });
  await drawer.getByLabel("用户名").fill("zhangmin");
  await drawer.getByLabel("姓名").fill("张敏");
  await drawer.getByRole("button", { name: "创建" }).click();
  await expect(drawer.getByText("用户名已经被使用")).toBeVisible();
  await expect(drawer.getByLabel("用户名")).toHaveAttribute("aria-invalid", "true");
  await expect(drawer.getByLabel("用户名")).toBeFocused();
  await drawer.getByLabel("用户名").fill("zhangmin2");
  await drawer.getByRole("button", { name: "创建" }).click();
  await expect(page.getByText("已创建用户 zhangmin2")).toBeVisible();
});

test("S319 a user is edited; what was typed is not lost without asking", async ({ page, api }) => {
  await api.user({ username: "zhangmin", name: "张敏" });
  await openUsers(page);
  await row(page, "zhangmin").getByRole("button", { name: "编辑" }).click();
  const drawer = page.getByRole("dialog", { name: "编辑用户 zhangmin" });
  await expect(drawer.getByLabel("用户名")).toBeDisabled();
  await drawer.getByLabel("姓名").fill("张敏敏");
  await page.keyboard.press("Escape");
  const question = page.getByRole("dialog", { name: "放弃填写的内容？" });
  await question.getByRole("button", { name: "继续填写" }).click();
  await expect(drawer.getByLabel("姓名")).toHaveValue("张敏敏");
  await drawer.getByLabel("GPU 卡").fill("3");
  await drawer.getByRole("button", { name: "保存" }).click();
  await expect(page.getByText("已保存")).toBeVisible();
  await expect(row(page, "张敏敏")).toBeVisible();
  expect(await api.userNamed("zhangmin")).toMatchObject({ name: "张敏敏", GPUNumlimit: 3 });
});

test("S323 S386 disabling ends the session at once with the notice, enabling lets in again", async ({
  page,
  api,
  visitor,
  faults,
}) => {
  faults.expectStatus(401, 403);
  await api.user({ username: "zhangmin" });
  const theirs = await visitor();
  // Its line for broadcasts would notice before the click.
  await theirs.route("**/api/tickets", () => undefined);
  await enter(theirs, "zhangmin");
  await openUsers(page);
  await act(page, "zhangmin", "禁用");
  await page
    .getByRole("dialog", { name: "禁用用户 zhangmin？" })
    .getByRole("button", { name: "禁用" })
    .click();
  await expect(page.getByText("已禁用 zhangmin")).toBeVisible();
  await expect(row(page, "zhangmin")).toContainText("禁用");
  await theirs.getByRole("link", { name: "组成员" }).click();
  await expect(theirs.getByText("登录过期，重新登录...")).toBeVisible();
  await expect(theirs).toHaveURL("/login?redirect=users");
  await act(page, "zhangmin", "启用");
  await expect(page.getByText("已启用 zhangmin")).toBeVisible();
  await fillLogin(theirs, "zhangmin", "lab2026a");
  await expect(theirs).toHaveURL("/users/groupmember_list");
});

test("S320 somebody leaves: what they have is decided on, the name is asked for, the account goes", async ({
  page,
  api,
  faults,
}) => {
  // Who never opened the network disk has no folder there.
  faults.expectStatus(404);
  await api.user({ username: "zhangmin", name: "张敏" });
  await api.user({ username: "lijia", name: "李佳" });
  await openUsers(page);
  await act(page, "zhangmin", "离开并删除");
  await expect(page).toHaveURL("/users/leaving?name=zhangmin");
  const begin = page.getByRole("button", { name: "开始办理" });
  await expect(begin).toBeDisabled();
  await pick(page, page.getByRole("combobox", { name: "接手的人", exact: true }), "李佳 lijia");
  await begin.click();
  const question = page.getByRole("dialog", { name: "办理 zhangmin 的离开？" });
  await expect(question.getByRole("button", { name: "开始办理" })).toBeDisabled();
  await question.getByRole("textbox").fill("zhangmin");
  await page.keyboard.press("Enter");
  const progress = page.getByRole("dialog", { name: "zhangmin 的离开" });
  await expect(progress.getByText("已办完")).toBeVisible({ timeout: 30_000 });
  await expect(progress.getByText("账号已删除")).toBeVisible();
  const download = page.waitForEvent("download");
  await progress.getByRole("button", { name: "下载结果" }).click();
  expect((await download).suggestedFilename()).toBe("离开-zhangmin.csv");
  expect(await api.userNamed("zhangmin")).toBeUndefined();
});

test("an account gets a last day, which the list shows", async ({ page, api }) => {
  await api.user({ username: "zhangmin", name: "张敏" });
  await openUsers(page);
  await row(page, "zhangmin").getByRole("button", { name: "编辑" }).click();
  const drawer = page.getByRole("dialog", { name: "编辑用户 zhangmin" });
  await giveDay(drawer.getByLabel("到期日"), "2060-12-31");
  await drawer.getByRole("button", { name: "保存" }).click();
  await expect(page.getByText("已保存")).toBeVisible();
  await expect(row(page, "zhangmin")).toContainText("2060-12-31 到期");
});

test("one's own account can be neither disabled nor deleted, and the menu says why", async ({ page }) => {
  await openUsers(page);
  await page.getByRole("button", { name: "admin 的更多操作" }).click();
  for (const entry of [/禁用.*不能禁用自己的账号/, /离开并删除.*不能删除自己的账号/]) {
    await expect(page.getByRole("menuitem", { name: entry })).toHaveAttribute("aria-disabled", "true");
  }
});

test("S322 a new password for somebody ends their sessions and lets in with the new one only", async ({
  page,
  api,
  visitor,
  faults,
}) => {
  faults.expectStatus(422);
  await api.user({ username: "zhangmin" });
  await openUsers(page);
  await act(page, "zhangmin", "重置密码");
  const drawer = page.getByRole("dialog", { name: "重置密码 zhangmin" });
  await drawer.getByRole("textbox", { name: "新密码" }).fill("fresh2026");
  await drawer.getByRole("button", { name: "重置", exact: true }).click();
  await expect(page.getByText("已重置 zhangmin 的密码")).toBeVisible();
  const theirs = await visitor();
  await theirs.goto("/login");
  await fillLogin(theirs, "zhangmin", "lab2026a");
  await expect(theirs.getByRole("alert")).toHaveText("用户名或密码错误");
  await fillLogin(theirs, "zhangmin", "fresh2026");
  // They choose one of their own before anything else.
  await expect(theirs.getByRole("heading", { name: "设置新密码" })).toBeFocused();
  const chosen = theirs.getByLabel("新密码", { exact: true });
  const again = theirs.getByLabel("再输一次");
  await chosen.fill("password1");
  await again.fill("password1");
  await again.press("Enter");
  await expect(theirs.getByText("这个密码太常见")).toBeVisible();
  await chosen.fill("river-2026");
  await again.fill("river-2026");
  await theirs.getByRole("button", { name: "保存并登录" }).click();
  await expect(theirs).toHaveURL("/dashboard");
});

test("S326 somebody is named leader from the list", async ({ page, api }) => {
  await api.user({ username: "zhangmin" });
  await openUsers(page);
  await act(page, "zhangmin", "设为组长");
  await expect(row(page, "zhangmin")).toContainText("组长");
  await expect.poll(async () => (await api.userNamed("zhangmin"))?.groupLeader).toBe(true);
});

const table = [
  "用户名\t密码\t姓名\t邮箱\t用户组\t实例\tGPU 卡\t网盘 GB",
  "chenyu\tlab2026a\t陈宇\tchenyu@example.com\t计算机视觉\t6\t8\t2048",
  "a b\tlab2026a\t坏名字\t\t\t1\t1\t1",
  "wangfang\tshort\t王芳\t\t\t1\t1\t1",
  "sunjing\t\t孙静\t\t没有这个组\t1\t1\t1",
  "linjia\t\t林佳\t\t\t2\t1\t100",
].join("\n");

test("a batch from a pasted table: a report per line, good lines are made, bad ones are not", async ({
  page,
  api,
}) => {
  await api.group("计算机视觉");
  await openUsers(page);
  await page.getByRole("button", { name: "批量创建" }).click();
  const drawer = page.getByRole("dialog", { name: "批量创建用户" });
  await drawer.getByLabel("用户表格").fill(table);
  await expect(drawer.getByText("表头以下共 5 行")).toBeVisible();
  await drawer.getByRole("button", { name: "检查" }).click();
  await expect(drawer.getByText("2 行可以创建，3 行有问题，创建时会跳过")).toBeVisible();
  const report = drawer.getByRole("table", { name: "逐行结果" });
  await expect(report.getByRole("row", { name: /a b/ })).toContainText("有问题");
  await expect(report.getByRole("row", { name: /wangfang/ })).toContainText("密码");
  await expect(report.getByRole("row", { name: /sunjing/ })).toContainText("没有这个组");
  expect(await api.userNamed("chenyu")).toBeUndefined();
  await drawer.getByRole("button", { name: "创建 2 人" }).click();
  await expect(drawer.getByText("已创建 2 人，3 行没有创建")).toBeVisible();
  const password = await report
    .getByRole("row", { name: /linjia/ })
    .getByRole("code")
    .textContent();
  expect(password).toMatch(/^(?=.*[A-Za-z])(?=.*\d).{6,30}$/);
  await drawer.getByRole("button", { name: "完成" }).click();
  const question = page.getByRole("dialog", { name: "关闭后看不到这些密码" });
  await question.getByRole("button", { name: "仍然关闭" }).click();
  await expect(row(page, "chenyu")).toContainText("计算机视觉");
  expect(await api.userNamed("chenyu")).toMatchObject({
    instanceLimit: 6,
    GPUNumlimit: 8,
    diskQuota: 2048 * 1024 ** 3,
  });
  for (const name of ["wangfang", "sunjing"]) expect(await api.userNamed(name)).toBeUndefined();
  const linjia = { username: "linjia", password };
  await expect(api.status("POST", "/api/auth", linjia)).resolves.toBe(422);
  await expect(api.status("POST", "/api/auth", { ...linjia, newPassword: "chosen2026" })).resolves.toBe(200);
});

test("a CSV file in the encoding of Chinese Windows is read", async ({ page, api }) => {
  await openUsers(page, "?panel=import");
  const drawer = page.getByRole("dialog", { name: "批量创建用户" });
  // 用户名,姓名 / zhangmin,张敏 in GB 18030
  const bytes = Buffer.from([
    ...[0xd3, 0xc3, 0xbb, 0xa7, 0xc3, 0xfb, 0x2c, 0xd0, 0xd5, 0xc3, 0xfb, 0x0d, 0x0a],
    ...Buffer.from("zhangmin,"),
    ...[0xd5, 0xc5, 0xc3, 0xf4, 0x0d, 0x0a],
  ]);
  await drawer
    .locator("input[type=file]")
    .setInputFiles({ name: "用户.csv", mimeType: "text/csv", buffer: bytes });
  await expect(drawer.getByLabel("用户表格")).toHaveValue("用户名,姓名\nzhangmin,张敏\n");
  await drawer.getByRole("button", { name: "检查" }).click();
  await drawer.getByRole("button", { name: "创建 1 人" }).click();
  await expect(drawer.getByText("已创建 1 人")).toBeVisible();
  expect(await api.userNamed("zhangmin")).toMatchObject({ name: "张敏" });
});

test("several at once: quotas, disabling, leaving", async ({ page, api, faults }) => {
  faults.expectStatus(404);
  for (const username of ["user1", "user2", "user3"]) await api.user({ username });
  await openUsers(page);
  const bar = page.getByRole("region", { name: "批量操作" });
  for (const username of ["user1", "user2"])
    await page.getByRole("checkbox", { name: `选择 ${username}` }).check();
  await expect(bar).toContainText("已选 2 人");
  await bar.getByRole("button", { name: "调整配额" }).click();
  const drawer = page.getByRole("dialog", { name: "调整 2 人的配额" });
  await drawer.getByLabel("GPU 卡").fill("5");
  await drawer.getByRole("button", { name: "调整", exact: true }).click();
  await expect(page.getByText("已调整 2 人的配额")).toBeVisible();
  expect(await api.userNamed("user1")).toMatchObject({ GPUNumlimit: 5 });
  expect((await api.userNamed("user3"))?.GPUNumlimit).not.toBe(5);

  for (const username of ["user1", "user2"])
    await page.getByRole("checkbox", { name: `选择 ${username}` }).check();
  await bar.getByRole("button", { name: "禁用" }).click();
  await page.getByRole("dialog", { name: "禁用 2 个用户？" }).getByRole("button", { name: "禁用" }).click();
  await expect(page.getByText("已禁用 2 人")).toBeVisible();

  await page.getByRole("checkbox", { name: "选择 user1" }).check();
  await page.getByRole("checkbox", { name: "选择 admin" }).check();
  await expect(bar.getByRole("button", { name: "离开并删除" })).toBeDisabled();
  await page.getByRole("checkbox", { name: "选择 admin" }).uncheck();
  await page.getByRole("checkbox", { name: "选择 user2" }).check();
  await bar.getByRole("button", { name: "离开并删除" }).click();
  await expect(page).toHaveURL("/users/leaving?name=user1,user2");
  await expect(page.getByRole("list", { name: "user1 拥有的资源" })).toBeVisible();
  await expect(page.getByRole("list", { name: "user2 拥有的资源" })).toBeVisible();
});

const many = Array.from({ length: 45 }, (_, at) => `user${String(at + 1).padStart(2, "0")}`);

test("S314 search, order and page live in the address and survive a reload", async ({ page, api }) => {
  await api.batch(["用户名,姓名", ...many.map((name) => `${name},${name}`)].join("\n"));
  await openUsers(page);
  await expect(page.getByText("第 1–20 人，共 46")).toBeVisible();
  await search(page).fill("user");
  await expect(page.getByText("第 1–20 人，共 45")).toBeVisible();
  await page.getByRole("columnheader", { name: "用户", exact: true }).getByRole("button").click();
  await expect(page.getByRole("columnheader", { name: "用户", exact: true })).toHaveAttribute(
    "aria-sort",
    "ascending",
  );
  await page.getByRole("columnheader", { name: "用户", exact: true }).getByRole("button").click();
  await expect(page.getByRole("row", { name: /user45/ })).toBeVisible();
  await page.getByRole("listitem", { name: "2", exact: true }).click();
  await expect(page.getByText("第 21–40 人，共 45")).toBeVisible();
  await expect(page).toHaveURL(/q=user/);
  await expect(page.getByRole("row", { name: /user25/ })).toBeVisible();
  const shown = await usernames(page);
  expect(shown[0]).toBe("user25");
  await page.reload();
  await expect(page.getByText("第 21–40 人，共 45")).toBeVisible();
  await expect(search(page)).toHaveValue("user");
  await expect(page.getByRole("columnheader", { name: "用户", exact: true })).toHaveAttribute(
    "aria-sort",
    "descending",
  );
  expect(await usernames(page)).toEqual(shown);
});

test("filters live in the address and can be cleared", async ({ page, api }) => {
  const group = await api.group("计算机视觉");
  await api.user({ username: "zhangmin", groups: [group.id] });
  await api.user({ username: "chenyu", active: false });
  await openUsers(page);
  await page.getByRole("radiogroup", { name: "状态" }).getByText(/^禁用/).click();
  await expect(page).toHaveURL(/active=false/);
  await expect(row(page, "chenyu")).toBeVisible();
  await expect(row(page, "zhangmin")).toHaveCount(0);
  await page.reload();
  await expect(row(page, "chenyu")).toBeVisible();
  await expect(row(page, "zhangmin")).toHaveCount(0);
  await page.getByRole("button", { name: "清除筛选" }).click();
  await expect(row(page, "zhangmin")).toBeVisible();
  await pick(page, page.getByRole("combobox", { name: "用户组" }), "计算机视觉");
  await expect(row(page, "chenyu")).toHaveCount(0);
  await expect(row(page, "zhangmin")).toBeVisible();
  await search(page).fill("nobody-has-this-name");
  await expect(page.getByText("没有符合条件的结果")).toBeVisible();
});

test("names with script in them are only text", async ({ page, api }) => {
  await api.user({ username: "evil", name: `<img src=x onerror=alert(1)>'"` });
  page.on("dialog", (dialog) => {
    throw new Error(`a script ran: ${dialog.message()}`);
  });
  await openUsers(page);
  await expect(row(page, "evil")).toContainText("<img src=x onerror=alert(1)>");
});
