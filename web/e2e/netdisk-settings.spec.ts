// The disk's settings: one's own, those of the whole disk, and its users, each with what it changes elsewhere.
import type { Page } from "@playwright/test";
import type { Api } from "./fixtures/api";
import { entry, openFolder, shownNames } from "./fixtures/disk";
import { png } from "./fixtures/media";
import { arrive, enter, expect, open, pick, test } from "./fixtures/test";

const settings = "/settings/netdisk_settings";
const tabs = (page: Page) => page.getByRole("navigation", { name: "网盘设置的部分" });
const ground = (page: Page) => page.evaluate(() => document.documentElement.classList.contains("dark"));

async function save(page: Page) {
  await page.getByRole("button", { name: "保存", exact: true }).click();
  await expect(page.getByText("已保存").last()).toBeVisible();
}

/** Zhangmin's number, once the disk knows them. */
async function known(api: Api, disk: Api): Promise<number> {
  await disk.names("/home/");
  return (await api.userNamed("zhangmin"))?.id ?? 0;
}

test("S063 S112 S113 S294 the tabs are those that somebody may use", async ({ page, api, disk, visitor }) => {
  const id = await known(api, disk);
  await arrive(page);
  await page.goto(settings);
  await expect(page).toHaveURL(`${settings}/profile`);
  for (const name of ["个人设置", "全局设置", "网盘用户"])
    await expect(tabs(page).getByRole("link", { name, exact: true })).toBeVisible();
  const theirs = await visitor();
  await arrive(theirs, "zhangmin");
  await open(theirs, `${settings}/profile`, "网盘设置");
  await expect(theirs.getByRole("switch", { name: "单击打开" })).toBeVisible();
  for (const name of ["全局设置", "网盘用户"])
    await expect(tabs(theirs).getByRole("link", { name, exact: true })).toHaveCount(0);
  expect(await disk.status("GET", "/disk/api/settings")).toBe(403);
  expect(await disk.status("GET", "/disk/api/users")).toBe(403);
  await api.changeDiskUser(id, { perm: { admin: true } });
  await theirs.reload();
  await expect(tabs(theirs).getByRole("link", { name: "网盘用户" })).toBeVisible();
});

test("S064 S176 S178 S183 how I see the disk is kept with my account", async ({ page, api, disk }) => {
  const id = await known(api, disk);
  for (const [name, content] of [
    ["a.txt", "333"],
    ["b.txt", "1"],
    [".hidden", "x"],
  ] as const)
    await disk.upload(`/home/${name}`, content);
  await arrive(page, "zhangmin");
  await open(page, `${settings}/profile`, "网盘设置");
  await expect(page.getByText("简体中文")).toBeVisible();
  const stored = () => api.diskUser(id);
  await page.getByRole("radiogroup", { name: "显示方式" }).getByText("平铺").click();
  await expect.poll(async () => (await stored()).viewMode).toBe("mosaic");
  await page.getByRole("radiogroup", { name: "显示方式" }).getByText("列表").click();
  await expect.poll(async () => (await stored()).viewMode).toBe("list");
  await pick(page, page.getByLabel("排序"), "大小，从小到大");
  await expect.poll(async () => (await stored()).sorting).toEqual({ by: "size", asc: true });
  await page.getByRole("switch", { name: "隐藏以点开头的文件" }).click();
  await expect.poll(async () => (await stored()).hideDotfiles).toBe(true);
  await page.getByRole("switch", { name: "单击打开" }).click();
  await expect.poll(async () => (await stored()).singleClick).toBe(true);
  await openFolder(page, "/home/");
  await expect.poll(() => shownNames(page)).toEqual(["b.txt", "a.txt"]);
  await entry(page, "b.txt").click();
  await expect(page).toHaveURL("/netdisk/files/home/b.txt");
});

test("S184 the theme: chosen at once, kept with the account, for the disk's pages of any browser", async ({
  page,
  api,
  disk,
  visitor,
}) => {
  const id = await known(api, disk);
  await arrive(page, "zhangmin");
  await open(page, `${settings}/profile`, "网盘设置");
  expect(await ground(page)).toBe(false);
  await page.getByRole("radiogroup", { name: "主题" }).getByText("深色").click();
  await expect.poll(() => ground(page)).toBe(true);
  await expect.poll(async () => (await api.diskUser(id)).theme).toBe("dark");
  await page.reload();
  await expect.poll(() => ground(page)).toBe(true);
  // A browser that was told nothing follows its system, on the disk's pages the account.
  const other = await visitor({ colorScheme: "light" });
  await enter(other, "zhangmin");
  expect(await ground(other)).toBe(false);
  await openFolder(other, "/home/");
  await expect.poll(() => ground(other)).toBe(true);
  await other.locator("#side-menu").getByRole("link", { name: "首页" }).click();
  await expect.poll(() => ground(other)).toBe(false);
  await open(other, `${settings}/profile`, "网盘设置");
  await expect.poll(() => ground(other)).toBe(true);
  await other.getByRole("radiogroup", { name: "主题" }).getByText("浅色").click();
  await expect.poll(() => ground(other)).toBe(false);
});

test("S024 S066 S138 S186 S187 S188 S189 S305 what the global settings are at first", async ({
  page,
  api,
}) => {
  const { exec } = await api.diskSettings();
  await arrive(page);
  await open(page, `${settings}/global`, "网盘设置");
  await expect(page.getByRole("switch", { name: "生成缩略图" })).toBeChecked();
  await expect(page.getByRole("switch", { name: "缩小预览图" })).toBeChecked();
  await expect(page.getByRole("switch", { name: "命令行" })).toBeChecked({ checked: exec });
  await expect(page.getByText("平台账号和密码（json）")).toBeVisible();
  await expect(page.getByText("始终开启")).toBeVisible();
  const signup = page.getByRole("switch", { name: "开放注册" });
  await expect(signup).not.toBeChecked();
  await expect(signup).toBeDisabled();
  await expect(page.getByRole("switch", { name: "公共共享只读" })).not.toBeChecked();
});

test("S024 S340 S188 S189 S303 S304 every switch of the global settings is kept and does what it says", async ({
  page,
  api,
  disk,
  visitor,
}) => {
  await disk.upload("/home/a.png", png(2000, 300, [200, 40, 40]));
  const { exec } = await api.diskSettings();
  await arrive(page);
  await open(page, `${settings}/global`, "网盘设置");
  for (const name of ["缩小预览图", "公共共享只读", "自动建个人文件夹"])
    await page.getByRole("switch", { name }).click();
  if (exec) await page.getByRole("switch", { name: "命令行" }).click();
  await page.getByLabel("回收站保留").fill("7");
  await page.getByLabel("公共共享配额").fill("2");
  await page.getByLabel("数据集总配额").fill("3");
  await page.getByLabel("每人分享链接数").fill("50");
  await page.getByLabel("网盘名称").fill("实验室网盘");
  await page.getByRole("radiogroup", { name: "默认主题" }).getByText("深色").click();
  await save(page);
  await expect.poll(() => ground(page)).toBe(true);
  expect(await api.diskSettings()).toMatchObject({
    thumbnails: true,
    resizePreview: false,
    shareReadOnly: true,
    createUserDir: false,
    exec: false,
    trashDays: 7,
    quotas: { share: 2 * 1024 ** 3, datasets: 3 * 1024 ** 3 },
    limits: { datasets: 100, versions: 20, shares: 50 },
    branding: { name: "实验室网盘", theme: "dark" },
    signup: false,
  });
  expect(await disk.status("POST", "/disk/api/resources/share/x", "x")).toBe(403);
  // Each in a browser of its own: what one has of a picture it keeps.
  const expectWidth = async (width: number) => {
    const theirs = await visitor();
    await arrive(theirs, "zhangmin");
    await theirs.goto("/netdisk/files/home/a.png");
    const shown = theirs.getByRole("img", { name: "a.png" });
    await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(width);
  };
  await expectWidth(2000);
  await page.reload();
  await expect(page.getByLabel("回收站保留")).toHaveValue("7");
  await page.getByRole("switch", { name: "缩小预览图" }).click();
  await save(page);
  await expectWidth(1080);
});

test("S181 S307 global rules deny, a person's own rules allow again", async ({ page, api, disk, faults }) => {
  faults.expectStatus(400);
  const id = await known(api, disk);
  await disk.upload("/home/secret.txt", "x");
  await arrive(page);
  await open(page, `${settings}/global`, "网盘设置");
  // The other rules are what newcomers get.
  await page.getByRole("button", { name: "添加规则" }).first().click();
  await page.getByLabel("规则 1 的内容").fill("(");
  await pick(page, page.getByLabel("规则 1 的写法"), "正则");
  await page.getByRole("button", { name: "保存", exact: true }).click();
  await expect(page.getByText(/invalid regular expression/)).toBeVisible();
  await page.getByLabel("规则 1 的内容").fill("secret");
  await save(page);
  expect(await disk.status("GET", "/disk/api/raw/home/secret.txt")).toBe(403);
  await open(page, `${settings}/users/${id}`, "网盘设置");
  await page.getByRole("button", { name: "添加规则" }).click();
  await pick(page, page.getByLabel("规则 1 的作用"), "允许");
  await page.getByLabel("规则 1 的内容").fill("/home/secret.txt");
  await save(page);
  expect(await disk.status("GET", "/disk/api/raw/home/secret.txt")).toBe(200);
});

test("S025 S067 S068 S179 S180 S182 S184 S185 S295 S296 a disk user with every field", async ({
  page,
  api,
  disk,
}) => {
  const id = await known(api, disk);
  await disk.makeFolder("/home/项目");
  await arrive(page);
  await open(page, `${settings}/users`, "网盘设置");
  await page.getByRole("link", { name: "zhangmin" }).click();
  await expect(page).toHaveURL(`${settings}/users/${id}`);
  await page.getByLabel("根目录").fill("/home/项目");
  await page.getByRole("checkbox", { name: "分享" }).uncheck();
  await page.getByRole("checkbox", { name: "修改内容" }).uncheck();
  await page.getByRole("checkbox", { name: "执行命令" }).check();
  await page.getByLabel("可执行的命令").fill("ls\ngit");
  await page.getByRole("switch", { name: "锁定密码" }).click();
  await page.getByRole("switch", { name: "隐藏点文件" }).click();
  await page.getByRole("radiogroup", { name: "主题" }).getByText("深色").click();
  await save(page);
  expect(await api.diskUser(id)).toMatchObject({
    scope: "/home/项目",
    perm: { share: false, modify: false, execute: true, admin: false, create: true },
    commands: ["ls", "git"],
    lockPassword: true,
    hideDotfiles: true,
    theme: "dark",
    locale: "zh-cn",
  });
  await page.getByRole("checkbox", { name: "管理网盘" }).check();
  for (const name of ["分享", "修改内容", "删除"])
    await expect(page.getByRole("checkbox", { name, exact: true })).toBeChecked();
  await save(page);
  // The toast of the first time may still be there.
  await expect.poll(async () => Object.values((await api.diskUser(id)).perm).every(Boolean)).toBe(true);
  // From now on they may do the same with others.
  const admin = await api.userNamed("admin");
  expect(await disk.status("GET", `/disk/api/users/${admin?.id}`)).toBe(200);
});

test("S306 a locked password cannot be changed by its owner", async ({ page, api, disk, visitor }) => {
  const id = await known(api, disk);
  await arrive(page);
  await open(page, `${settings}/users/${id}`, "网盘设置");
  await page.getByRole("switch", { name: "锁定密码" }).click();
  await save(page);
  const theirs = await visitor();
  await arrive(theirs, "zhangmin");
  await open(theirs, "/profile/password", "修改密码");
  await expect(theirs.getByText("这个账号的密码已锁定")).toBeVisible();
  await expect(theirs.getByRole("textbox", { name: "新密码" })).toHaveCount(0);
  await page.getByRole("switch", { name: "锁定密码" }).click();
  await save(page);
  await theirs.reload();
  await expect(theirs.getByRole("textbox", { name: "新密码" })).toBeVisible();
});

test("S296 a person is added before their first visit, and put back to the defaults", async ({
  page,
  api,
  faults,
}) => {
  faults.expectStatus(400, 409);
  const { id } = await api.user({ username: "chenyu" });
  await arrive(page);
  await open(page, `${settings}/users`, "网盘设置");
  const drawer = page.getByRole("dialog", { name: "添加网盘用户" });
  await page.getByRole("button", { name: "添加用户" }).click();
  await drawer.getByLabel("用户名").fill("nobody");
  await drawer.getByRole("button", { name: "添加" }).click();
  await expect(drawer.getByText("平台上没有这个用户名")).toBeVisible();
  await drawer.getByLabel("用户名").fill("ChenYu");
  await drawer.getByRole("button", { name: "添加" }).click();
  await expect(page.getByText("已添加网盘用户 ChenYu")).toBeVisible();
  await page.getByRole("button", { name: "添加用户" }).click();
  await drawer.getByLabel("用户名").fill("chenyu");
  await drawer.getByRole("button", { name: "添加" }).click();
  await expect(drawer.getByText("这个人已经是网盘用户")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: /放弃/ }).getByRole("button", { name: "放弃" }).click();
  const table = page.getByRole("table", { name: "网盘用户" });
  await page.getByRole("searchbox", { name: "用户名" }).fill("CHEN");
  await expect(table.getByRole("link")).toHaveText(["chenyu"]);
  await page.getByRole("link", { name: "chenyu" }).click();
  // Its tag is not another 网盘用户.
  await expect(page).toHaveTitle(/^网盘用户 chenyu - /);
  await page.getByRole("checkbox", { name: "删除", exact: true }).uncheck();
  await save(page);
  expect((await api.diskUser(id)).perm.delete).toBe(false);
  await page.getByRole("button", { name: "恢复默认" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "恢复默认" }).click();
  await expect(page.getByText("已恢复默认")).toBeVisible();
  await expect(page.getByRole("checkbox", { name: "删除", exact: true })).toBeChecked();
  expect((await api.diskUser(id)).perm.delete).toBe(true);
});

test("S122 S123 S124 the settings too say that there is no storage host", async ({
  page,
  api,
  disk,
  visitor,
}) => {
  await known(api, disk);
  await api.changeBasic({ storageHost: "" });
  await arrive(page);
  await page.goto(`${settings}/profile`);
  await expect(page.getByText("存储服务器未配置，请进行配置", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "去基本设置" }).click();
  await expect(page).toHaveURL("/settings/basic_setting");
  const theirs = await visitor();
  await arrive(theirs, "zhangmin");
  await theirs.goto(`${settings}/profile`);
  await expect(theirs.getByText("存储服务器未配置，请联系管理员!", { exact: true })).toBeVisible();
  await expect(theirs.getByRole("link", { name: "去基本设置" })).toHaveCount(0);
});
