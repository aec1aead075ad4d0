// Giving out links: the prompt in the file browser, and the page that manages all of them.
import type { Locator, Page } from "@playwright/test";
import { act, entry, openFolder } from "./fixtures/disk";
import { chooseEntry } from "./fixtures/menu";
import { hardNames } from "./fixtures/names";
import { arrive, expect, phone, pick, test } from "./fixtures/test";

const manage = "/settings/netdisk_settings/shares";

const prompt = (page: Page, name: string): Locator => page.getByRole("dialog", { name: `分享 ${name}` });
const links = (page: Page): Locator =>
  page.getByRole("list", { name: "已有的分享链接" }).getByRole("listitem");
const question = (page: Page, name: string): Locator =>
  page.getByRole("dialog", { name: `删除 ${name} 的分享链接？` });

/** Opens the prompt of a file in one's home. */
async function share(page: Page, name: string): Promise<Locator> {
  await openFolder(page, "/home/");
  await act(page, name, "分享");
  await expect(prompt(page, name)).toBeVisible();
  return prompt(page, name);
}

/** The calls that make links. */
function creations(page: Page): string[] {
  const seen: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.method() === "POST" && pathname.startsWith("/disk/api/share/")) seen.push(pathname + search);
  });
  return seen;
}

test("S147 S192 S265 S266 S371 S372 a number and a unit make a link; hours unless another is chosen", async ({
  page,
  disk,
}) => {
  await disk.upload("/home/a b.txt", "a");
  await arrive(page, "zhangmin");
  const made = creations(page);
  const dialog = await share(page, "a b.txt");
  await expect(dialog.getByText("还没有链接")).toBeVisible();
  const number = dialog.getByLabel("有效期", { exact: true });
  await expect(number).toBeFocused();
  await page.keyboard.type("2");
  await page.keyboard.press("Enter");
  await expect(page.getByText("分享链接已创建")).toBeVisible();
  await expect(links(page)).toHaveText([/(2 小时|1 小时 59 分钟)后过期/]);
  await expect(number).toHaveValue("");

  for (const [unit, value, words] of [
    ["秒", "3000", /(50|49) 分钟后过期/],
    ["分钟", "90", /1 小时 (30|29) 分钟后过期/],
    ["天", "3", /(3 天|2 天 23 小时)后过期/],
  ] as const) {
    await pick(page, dialog.getByLabel("有效期的单位"), unit);
    await number.fill(value);
    await dialog.getByRole("button", { name: "创建链接" }).click();
    await expect(links(page).filter({ hasText: words })).toHaveCount(1);
    await expect(number).toHaveValue("");
    await expect(dialog.locator(".ant-btn-loading")).toHaveCount(0);
  }
  await number.fill("99999999999");
  await number.press("Enter");
  // A moment of the last day may be over by now.
  await expect(links(page).filter({ hasText: /214748364[67] 天后过期/ })).toHaveCount(1);
  await number.fill("-5");
  await number.blur();
  await expect(number).toHaveValue("0");
  await dialog.getByRole("button", { name: "创建链接" }).click();
  await expect(page.getByText("有效期为 0，链接已经过期")).toBeVisible();
  await expect(links(page)).toHaveCount(5);
  const at = "/disk/api/share/home/a%20b.txt?expires=";
  expect(made).toEqual([
    `${at}2&unit=hours`,
    `${at}3000&unit=seconds`,
    `${at}90&unit=minutes`,
    `${at}3&unit=days`,
    `${at}2147483647&unit=days`,
    `${at}0&unit=days`,
  ]);
});

test("one of the usual spans is one click, and the link goes out with its password", async ({
  page,
  context,
  disk,
  server,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.origin });
  await disk.upload("/home/a.txt", "a");
  await arrive(page, "zhangmin");
  const made = creations(page);
  const dialog = await share(page, "a.txt");
  // Nothing is made without a number, and the field says what is missing.
  await dialog.getByRole("button", { name: "创建链接" }).click();
  await expect(dialog.getByText("请填写有效期，或创建永久链接")).toBeVisible();
  await expect(dialog.getByLabel("有效期", { exact: true })).toHaveAttribute("aria-invalid", "true");
  const usual = dialog.getByRole("group", { name: "常用有效期" });
  await usual.getByRole("button", { name: "30 天" }).click();
  await expect(dialog.getByText("请填写有效期，或创建永久链接")).toBeHidden();
  await dialog.getByLabel("密码（可选）").fill("secret");
  await dialog.getByRole("button", { name: "创建链接" }).click();
  await expect(links(page)).toHaveText([/(30 天|29 天 23 小时)后过期.*有密码.*浏览 0 次/]);
  expect(made).toEqual(["/disk/api/share/home/a.txt?expires=30&unit=days"]);
  await links(page)
    .getByRole("button", { name: /^复制链接和密码/ })
    .click();
  await expect(page.getByText("链接和密码已复制到剪贴板")).toBeVisible();
  const words = await page.evaluate(() => navigator.clipboard.readText());
  expect(words).toMatch(/^分享文件：a\.txt\n链接：\S+\/share\/[\w-]{22}\?diskhost=%2Fdisk\n密码：secret$/);
});

test("S267 without a number nothing happens", async ({ page, disk }) => {
  await disk.upload("/home/a.txt", "a");
  await arrive(page, "zhangmin");
  const made = creations(page);
  const dialog = await share(page, "a.txt");
  await dialog.getByRole("button", { name: "创建链接" }).click();
  await dialog.getByLabel("有效期", { exact: true }).press("Enter");
  await dialog.getByLabel("密码（可选）").fill("secret");
  await page.keyboard.press("Enter");
  await dialog.getByLabel("有效期", { exact: true }).fill("1");
  await page.keyboard.press("Enter");
  await expect(links(page)).toHaveText([/有密码/]);
  expect(made).toHaveLength(1);
});

test("S149 S209 S246 S247 one permanent link, first in the list, until it is deleted", async ({
  page,
  disk,
}) => {
  await disk.upload("/home/a.txt", "a");
  await disk.share("/home/a.txt", { expires: 5, unit: "hours" });
  await disk.share("/home/a.txt", { expires: 3000, unit: "seconds" });
  await arrive(page, "zhangmin");
  const dialog = await share(page, "a.txt");
  const permanent = dialog.getByRole("button", { name: "创建永久链接" });
  await permanent.click();
  await expect(links(page)).toHaveText([/永久有效/, /(50|49) 分钟后过期/, /(5 小时|4 小时 59 分钟)后过期/]);
  await expect(permanent).toBeDisabled();
  await expect(permanent).toHaveAccessibleDescription("已有永久链接，删除后才能再建");

  const remove = dialog.getByRole("button", { name: "删除链接（永久有效）" });
  await remove.click();
  // Exactly one thing lies over the page.
  await expect(question(page, "a.txt")).toBeVisible();
  await expect(dialog).toBeHidden();
  await question(page, "a.txt").getByRole("button", { name: "取消" }).click();
  await expect(links(page)).toHaveCount(3);
  await remove.click();
  await question(page, "a.txt").getByRole("button", { name: "删除" }).click();
  await expect(page.getByText("分享链接已删除")).toBeVisible();
  await expect(links(page)).toHaveCount(2);
  await expect(permanent).toBeEnabled();
  await permanent.click();
  await expect(links(page)).toHaveCount(3);
});

test("S375 S397 the link is copied, with the storage host in it; the code says the same", async ({
  page,
  context,
  disk,
  server,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.origin });
  await disk.upload("/home/a.txt", "a");
  const hash = await disk.share("/home/a.txt");
  await arrive(page, "zhangmin");
  const dialog = await share(page, "a.txt");
  await dialog.getByRole("button", { name: "复制链接（永久有效）" }).click();
  await expect(page.getByText("链接已复制到剪贴板")).toBeVisible();
  const address = `${server.origin}/share/${hash}?diskhost=%2Fdisk`;
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
  await expect(page.getByText("链接已复制到剪贴板")).toBeHidden();

  const code = dialog.getByRole("button", { name: "二维码（永久有效）" });
  await code.click();
  await expect(code).toHaveAttribute("aria-expanded", "true");
  await expect(dialog.getByRole("img", { name: "分享链接的二维码" })).toBeVisible();
  await expect(dialog.getByText(address)).toBeVisible();
});

test("S299 S292 sharing needs exactly one item and the permission", async ({ page, disk, api }) => {
  await disk.upload("/home/a.txt", "a");
  await disk.upload("/home/b.txt", "b");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  const button = page
    .getByRole("region", { name: "所选项操作" })
    .getByRole("button", { name: "分享", exact: true });
  await entry(page, "a.txt").click();
  await expect(button).toBeEnabled();
  await entry(page, "b.txt").click({ modifiers: ["ControlOrMeta"] });
  await expect(button).toBeDisabled();
  await expect(button).toHaveAccessibleDescription("只能分享一项");

  const me = await api.userNamed("zhangmin");
  const perm = { admin: false, create: true, rename: true, modify: true, delete: true, execute: false };
  for (const [rights, reason] of [
    [{ download: true, share: false }, "没有分享的权限"],
    [{ download: false, share: true }, "没有下载的权限"],
  ] as const) {
    const data = { what: "user", which: ["perm"], data: { perm: { ...perm, ...rights } } };
    expect(await api.status("PUT", `/disk/api/users/${me?.id}`, data)).toBe(200);
    await openFolder(page, "/home/");
    await entry(page, "a.txt").click();
    await expect(button).toBeDisabled();
    await expect(button).toHaveAccessibleDescription(reason);
  }
});

test("S383 S394 what fails is said, and nothing that was typed is lost", async ({ page, disk, faults }) => {
  faults.expectStatus(500);
  await disk.upload("/home/a.txt", "a");
  await disk.share("/home/a.txt");
  await arrive(page, "zhangmin");
  const refused: string[] = [];
  await page.route("**/disk/api/share/**", (route) =>
    refused.includes(route.request().method())
      ? route.fulfill({ status: 500, body: "500 Internal Server Error\n" })
      : route.fallback(),
  );
  refused.push("GET", "POST", "DELETE");
  const dialog = await share(page, "a.txt");
  await expect(page.getByText("分享链接没有取到：服务器出错（500）")).toBeVisible();
  refused.shift();
  await dialog.getByRole("button", { name: "重试" }).click();
  await expect(links(page)).toHaveCount(1);

  const number = dialog.getByLabel("有效期", { exact: true });
  await number.fill("7");
  await dialog.getByLabel("密码（可选）").fill("secret");
  await dialog.getByRole("button", { name: "创建链接" }).click();
  await expect(page.getByText("分享失败：服务器出错（500）")).toBeVisible();
  await expect(number).toHaveValue("7");
  await expect(dialog.getByLabel("密码（可选）")).toHaveValue("secret");

  await dialog.getByRole("button", { name: "删除链接（永久有效）" }).click();
  await question(page, "a.txt").getByRole("button", { name: "删除" }).click();
  await expect(page.getByText("删除失败：服务器出错（500）")).toBeVisible();
  await expect(links(page)).toHaveCount(1);
});

test("by keyboard alone, from the file to the copied link", async ({ page, context, disk, server }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.origin });
  await disk.upload("/home/a.txt", "a");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.keyboard.press("Control+a");
  const button = page
    .getByRole("region", { name: "所选项操作" })
    .getByRole("button", { name: "分享", exact: true });
  await button.focus();
  await page.keyboard.press("Enter");
  await expect(prompt(page, "a.txt").getByLabel("有效期", { exact: true })).toBeFocused();
  await page.keyboard.type("1");
  await page.keyboard.press("Enter");
  await expect(links(page)).toHaveCount(1);
  const copy = prompt(page, "a.txt").getByRole("button", { name: /^复制链接/ });
  for (let steps = 0; steps < 10 && !(await copy.evaluate((it) => it === document.activeElement)); steps++)
    await page.keyboard.press("Shift+Tab");
  await expect(copy).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("链接已复制到剪贴板")).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(question(page, "a.txt").getByRole("button", { name: "删除" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(prompt(page, "a.txt").getByText("还没有链接")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(prompt(page, "a.txt")).toBeHidden();
  await expect(page.getByRole("grid", { name: "文件" })).toBeFocused();
});

test("S008 a file that is looked at is shared from there", async ({ page, disk }) => {
  await disk.upload("/home/a.txt", "a");
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/a.txt");
  await page.getByRole("button", { name: "分享" }).click();
  await prompt(page, "a.txt").getByRole("button", { name: "创建永久链接" }).click();
  await expect(links(page)).toHaveText([/永久有效/]);
});

test("names of every kind are shared, listed and opened by visitors", async ({ page, disk, visitor }) => {
  test.setTimeout(120_000);
  for (const name of hardNames) {
    await disk.upload(`/home/${name}`, name);
    await disk.share(`/home/${name}`);
  }
  await arrive(page, "zhangmin");
  await page.goto(manage);
  for (const name of hardNames)
    await expect(page.getByRole("link", { name: `/home/${name}`, exact: true })).toBeVisible();
  const dialog = await share(page, hardNames[0] ?? "");
  await expect(links(page)).toHaveCount(1);
  await dialog.getByRole("button", { name: "二维码（永久有效）" }).click();
  const address = await dialog.getByText(/\/share\//).textContent();
  const guest = await visitor();
  await guest.goto(address ?? "");
  await expect(guest.getByRole("heading", { level: 1, name: hardNames[0] ?? "" })).toBeVisible();
});

test("S065 S112 S369 one's own links, with their paths, ends and passwords", async ({
  page,
  disk,
  visitor,
}) => {
  await disk.upload("/home/d/a.txt", "a");
  await arrive(page, "zhangmin");
  await page.goto(manage);
  await expect(page.getByText("还没有分享链接")).toBeVisible();
  await expect(page.getByRole("link", { name: "打开网盘" })).toBeVisible();

  const hash = await disk.share("/home/d/a.txt", { expires: 5, unit: "hours", password: "secret" });
  await disk.share("/home/d");
  await page.getByRole("button", { name: "刷新" }).click();
  const table = page.getByRole("table", { name: "分享链接" });
  const row = table.getByRole("row").filter({ hasText: "/home/d/a.txt" });
  await expect(row).toContainText(/(5 小时|4 小时 59 分钟)后过期\s*有\s*0/);
  await expect(table.getByRole("row").filter({ hasText: "永久有效" })).toContainText("无");
  await expect(table.getByRole("columnheader", { name: "所有者" })).toHaveCount(0);

  await page.getByRole("searchbox", { name: "路径" }).fill("A.TXT");
  await expect(table.getByRole("row").filter({ hasText: "永久有效" })).toHaveCount(0);
  await row.getByRole("button", { name: "/home/d/a.txt 的更多操作" }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "二维码" }));
  const shown = page.getByRole("dialog", { name: "a.txt 的分享链接" });
  await expect(shown.getByRole("img", { name: "分享链接的二维码" })).toBeVisible();
  await expect(shown.getByText(`/share/${hash}?diskhost=`)).toBeVisible();
  await expect(shown.getByRole("button", { name: "关闭" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(shown).toBeHidden();
  await expect(row.getByRole("button", { name: "/home/d/a.txt 的更多操作" })).toBeFocused();
  await row.getByRole("button", { name: "/home/d/a.txt 的更多操作" }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "删除" }));
  await question(page, "a.txt").getByRole("button", { name: "删除" }).click();
  await expect(page.getByText("分享链接已删除")).toBeVisible();
  await expect(page.getByText("没有符合条件的结果")).toBeVisible();
  await page.getByRole("button", { name: "清除筛选" }).click();
  await table.getByRole("link", { name: "/home/d" }).click();
  await expect(entry(page, "a.txt")).toBeVisible();

  // With the file the link goes.
  await disk.deleteFile("/home/d");
  const held = await visitor({ ...phone, storageState: await page.context().storageState() });
  await held.goto(manage);
  await expect(held.getByText("还没有分享链接")).toBeVisible();
});

test("S369 administrators see everybody's with the owner, also on a phone", async ({ disk, visitor }) => {
  await disk.upload("/home/a.txt", "a");
  await disk.share("/home/a.txt", { password: "secret" });
  const page = await visitor();
  await arrive(page);
  await page.goto(manage);
  const row = page.getByRole("row").filter({ hasText: "/home/a.txt" });
  await expect(row).toContainText("zhangmin");
  // It begins at its owner's root: here it would lead somewhere else.
  await expect(row.getByRole("link")).toHaveCount(0);
  const held = await visitor({ ...phone, storageState: await page.context().storageState() });
  await held.goto(manage);
  const card = held.getByRole("listitem").filter({ hasText: "/home/a.txt" });
  await expect(card).toContainText("永久有效 · 有密码 · 下载 0 次 · zhangmin");
  await card.getByRole("button", { name: "更多操作" }).click();
  await chooseEntry(held.getByRole("menuitem", { name: "删除" }));
  await question(held, "a.txt").getByRole("button", { name: "删除" }).click();
  await expect(held.getByText("还没有分享链接")).toBeVisible();
});

test("links that can't be fetched are said so, and tried again", async ({ page, disk, faults }) => {
  faults.expectStatus(500);
  await disk.upload("/home/a.txt", "a");
  await disk.share("/home/a.txt");
  await arrive(page, "zhangmin");
  let works = false;
  await page.route("**/disk/api/shares", (route) =>
    works ? route.fallback() : route.fulfill({ status: 500, body: "500 Internal Server Error\n" }),
  );
  await page.goto(manage);
  await expect(page.getByRole("alert")).toContainText("分享链接没有取到");
  works = true;
  await page.getByRole("button", { name: "重试" }).click();
  await expect(page.getByRole("link", { name: "/home/a.txt" })).toBeVisible();
});
