// Links that take files: made by somebody, used by strangers who see nothing of the folder.
import type { Page } from "@playwright/test";
import { act, openFolder } from "./fixtures/disk";
import { arrive, expect, phone, test } from "./fixtures/test";

const address = (hash: string) => `/share/${hash}?diskhost=%2Fdisk`;
const sent = (page: Page) => page.getByRole("list", { name: "上传的文件" }).getByRole("listitem");
const pickButton = (page: Page) => page.getByRole("button", { name: "选择文件", exact: true });
const file = (name: string, content: string) => ({
  name,
  mimeType: "text/plain",
  buffer: Buffer.from(content),
});

/** Chooses these files after something has opened the browser's own dialog. */
async function choose(
  page: Page,
  open: () => Promise<void>,
  files: ReturnType<typeof file>[],
): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await open();
  await (await chooser).setFiles(files);
}

test("by keyboard alone: somebody makes a link with a password, and a stranger sends files by it", async ({
  page,
  context,
  disk,
  visitor,
  server,
  faults,
}) => {
  faults.expectStatus(401);
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.origin });
  await disk.upload("/home/作业/已有.txt", "old");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await act(page, "作业", "分享");
  const dialog = page.getByRole("dialog", { name: "分享 作业" });
  await expect(dialog.getByLabel("有效期", { exact: true })).toBeFocused();
  await dialog.getByRole("radio", { name: "查看和下载" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(dialog.getByRole("radio", { name: "收集文件" })).toBeChecked();
  await expect(dialog.getByText("看不到文件夹里的内容")).toBeVisible();
  await dialog.getByLabel("最多收多少个文件").fill("5");
  const week = dialog.getByRole("button", { name: "7 天" });
  await week.focus();
  await page.keyboard.press("Enter");
  await expect(week).toHaveAttribute("aria-pressed", "true");
  await expect(dialog.getByLabel("有效期", { exact: true })).toHaveValue("7");
  await dialog.getByRole("button", { name: "随机生成" }).focus();
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "创建链接" }).focus();
  await page.keyboard.press("Enter");
  const link = dialog.getByRole("list", { name: "已有的分享链接" }).getByRole("listitem");
  await expect(link).toContainText(/收集文件\s*(7 天|6 天 23 小时)后过期/);
  await expect(link).toContainText("已收 0 / 5 个文件，0.00 B / 10.00 GB");
  await link.getByRole("button", { name: /^复制链接和密码/ }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("链接和密码已复制到剪贴板")).toBeVisible();
  const words = await page.evaluate(() => navigator.clipboard.readText());
  const [, where = "", password = ""] =
    /^收集文件：作业\n链接：(\S+)\n密码：([a-z0-9]{6})$/.exec(words) ?? [];
  expect(where).toContain(`${server.origin}/share/`);

  const guest = await visitor();
  await guest.goto(where);
  await expect(guest.getByLabel("密码", { exact: true })).toBeFocused();
  await guest.keyboard.insertText(password);
  await guest.keyboard.press("Enter");
  await expect(guest.getByRole("heading", { level: 1, name: "作业" })).toBeVisible();
  await expect(guest.getByText(/\S+ 正在收集文件/)).toBeVisible();
  await expect(guest.getByText("已有.txt")).toHaveCount(0);
  const open = async () => {
    await pickButton(guest).focus();
    await guest.keyboard.press("Enter");
  };
  await choose(guest, open, [file("已有.txt", "new"), file("报告 1.txt", "report")]);
  await expect(guest.getByRole("status").filter({ hasText: "已上传 2 个文件" })).toBeVisible();
  await expect(sent(guest)).toHaveCount(2);
  await expect(sent(guest).filter({ hasText: "已完成" })).toHaveCount(2);
  await disk.expectNames("/home/作业", ["已有.txt", "已有(1).txt", "报告 1.txt"]);

  await page.reload();
  await openFolder(page, "/home/");
  await act(page, "作业", "分享");
  await expect(link).toContainText("已收 2 / 5 个文件");
  await expect(link).toContainText("浏览 1 次 · 最近访问");
  // The server keeps no password that could be copied.
  await expect(link.getByRole("button", { name: /^复制链接和密码/ })).toHaveCount(0);
});

test("a full link says so, and what it refuses stays in the list with its reason", async ({
  disk,
  visitor,
  faults,
}) => {
  faults.expectStatus(409);
  await disk.makeFolder("/home/收");
  const hash = await disk.share("/home/收", { collect: { maxBytes: 1000, maxFiles: 1 } });
  const page = await visitor();
  await page.goto(address(hash));
  await choose(page, () => pickButton(page).click(), [file("大.txt", "x".repeat(2000))]);
  await expect(sent(page)).toContainText("链接已收满，不再接收文件");
  await expect(sent(page).getByRole("button", { name: "重试 大.txt" })).toBeVisible();
  await choose(page, () => pickButton(page).click(), [file("小.txt", "x")]);
  await expect(page.getByRole("status").filter({ hasText: "已上传 1 个文件，1 个失败" })).toBeVisible();
  await page.reload();
  await expect(pickButton(page)).toBeDisabled();
  await expect(pickButton(page)).toHaveAccessibleDescription("已收满，不再接收文件");
  await disk.expectNames("/home/收", ["小.txt"]);
});

test("names that nobody else should be given lose what is wrong with them", async ({ disk, visitor }) => {
  await disk.makeFolder("/home/收");
  const hash = await disk.share("/home/收", { collect: { maxBytes: 1000, maxFiles: 10 } });
  const page = await visitor();
  await page.goto(address(hash));
  await choose(page, () => pickButton(page).click(), [file(".bashrc", "x"), file("a & b #1.txt", "x")]);
  await expect(page.getByRole("status").filter({ hasText: "已上传 2 个文件" })).toBeVisible();
  await disk.expectNames("/home/收", ["bashrc", "a & b #1.txt"]);
});

test("on a phone files are sent with one tap, and everything fits", async ({ disk, visitor }) => {
  await disk.makeFolder("/home/收");
  const hash = await disk.share("/home/收", {
    expires: 5,
    unit: "hours",
    collect: { maxBytes: 1000, maxFiles: 10 },
  });
  const page = await visitor(phone);
  await page.goto(address(hash));
  await expect(page.getByText("10 个文件，共 1000.00 B")).toBeVisible();
  const { height } = (await pickButton(page).boundingBox()) ?? { height: 0 };
  expect(height).toBeGreaterThanOrEqual(44);
  await choose(page, () => pickButton(page).tap(), [file(`${"很长的名字".repeat(12)}.txt`, "x")]);
  await expect(page.getByRole("status").filter({ hasText: "已上传 1 个文件" })).toBeVisible();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(wide).toBeLessThanOrEqual(0);
});

test("only folders collect, and only for those who may create", async ({ page, disk, api }) => {
  await disk.upload("/home/d/a.txt", "a");
  await disk.upload("/home/b.txt", "b");
  await arrive(page, "zhangmin");
  const purpose = page.getByRole("radiogroup", { name: "链接用途" });
  await openFolder(page, "/home/");
  await act(page, "d", "分享");
  await expect(purpose).toBeVisible();
  await page.keyboard.press("Escape");
  await openFolder(page, "/home/");
  await act(page, "b.txt", "分享");
  await expect(page.getByRole("dialog", { name: "分享 b.txt" })).toBeVisible();
  await expect(purpose).toHaveCount(0);
  const me = await api.userNamed("zhangmin");
  const perm = { admin: false, rename: true, modify: true, delete: true, execute: false, download: true };
  const data = { what: "user", which: ["perm"], data: { perm: { ...perm, share: true, create: false } } };
  expect(await api.status("PUT", `/disk/api/users/${me?.id}`, data)).toBe(200);
  await openFolder(page, "/home/");
  await act(page, "d", "分享");
  await expect(page.getByRole("dialog", { name: "分享 d" })).toBeVisible();
  await expect(purpose).toHaveCount(0);
});
