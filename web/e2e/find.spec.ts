// Finding anything from anywhere: by the keyboard at a desk, by the finger on a phone; and each only what is theirs.
import type { Page } from "@playwright/test";
import type { components } from "@/shared/api/portal";
import { openFolder } from "./fixtures/disk";
import { tabTo } from "./fixtures/keys";
import { arrive, expect, open, phone, test } from "./fixtures/test";

type Schemas = components["schemas"];

const palette = (page: Page) => page.getByRole("dialog", { name: "查找" });

async function openPalette(page: Page) {
  await page.keyboard.press("Control+k");
  await expect(palette(page).getByRole("combobox", { name: "查找" })).toBeFocused();
}

const option = (page: Page, name: string | RegExp) => palette(page).getByRole("option", { name });

const current = (page: Page) => palette(page).getByRole("option", { selected: true });

test("a desk without a mouse: a page by its first letters, a person, an order, an action", async ({
  page,
  api,
  apiOf,
}) => {
  await api.user({ username: "zhangmin", name: "张敏" });
  const zhang = await apiOf("zhangmin");
  const order = { type: "fault", title: "卡三显存报错", content: "训练到一半" };
  const { id } = await zhang.post<{ id: string }>("/api/worksheets", order);
  await arrive(page);
  await open(page, "/dashboard", "首页");

  await openPalette(page);
  await page.keyboard.type("fwqlb");
  await expect(current(page)).toHaveText(/^服务器列表/);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/servers/server_list");
  await expect(palette(page)).toBeHidden();

  await openPalette(page);
  await expect(current(page)).toHaveText(/^服务器列表/);
  await page.keyboard.type("zhangm");
  await expect(option(page, /张敏/).first()).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/users/user_list?q=zhangmin");

  await openPalette(page);
  await page.keyboard.type("显存");
  await expect(option(page, /卡三显存报错\s*张敏 · #1 · 待处理/)).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/profile/worksheet?one=${id}`);

  await openPalette(page);
  await page.keyboard.type("新建用户");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "新建用户" })).toBeVisible();
  // A dialog keeps the keys for itself.
  await page.keyboard.press("Control+k");
  await expect(palette(page)).toBeHidden();
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "查找" }).click();
  await expect(palette(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(palette(page)).toBeHidden();
  await expect(page.getByRole("button", { name: "查找" })).toBeFocused();
});

test("files are found at any depth, by their owner and by administrators alone", async ({
  page,
  api,
  disk,
  visitor,
}) => {
  await api.user({ username: "liwei" });
  for (const folder of ["detector", "detector/src", "detector/src/models"])
    await disk.makeFolder(`/home/${folder}`);
  await disk.upload("/home/detector/src/models/backbone_3.py", "x");
  await arrive(page, "zhangmin");
  await open(page, "/dashboard", "首页");
  await openPalette(page);
  await page.keyboard.type("backbone detector");
  const found = option(page, /backbone_3\.py/);
  await expect(found).toContainText("home/detector/src/models");
  await expect(current(page)).toHaveText(/backbone_3\.py/);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/netdisk/files/home/detector/src/models/backbone_3.py");

  const other = await visitor();
  await arrive(other, "liwei");
  await open(other, "/dashboard", "首页");
  await openPalette(other);
  await other.keyboard.type("backbone");
  // The disk's own search stays; nothing of another's is there.
  await expect(option(other, /在网盘里搜索“backbone”/)).toBeVisible();
  await expect(palette(other).getByRole("status")).toHaveText("1 项");

  const boss = await visitor();
  await arrive(boss);
  await open(boss, "/dashboard", "首页");
  await openPalette(boss);
  await boss.keyboard.type("backbone");
  await expect(option(boss, /backbone_3\.py/)).toContainText("home/zhangmin/detector/src/models");
});

test("on a phone it fits, and a tap opens", async ({ disk, visitor }) => {
  await disk.upload("/home/一个很长很长很长很长很长很长的文件名字.txt", "x");
  const mobile = await visitor(phone);
  await arrive(mobile, "zhangmin");
  await open(mobile, "/dashboard", "首页");
  await mobile.getByRole("button", { name: "查找" }).tap();
  await expect(palette(mobile)).toBeInViewport({ ratio: 1 });
  await palette(mobile).getByRole("combobox").fill("很长");
  const found = option(mobile, /文件名字\.txt/);
  await expect(found).toBeVisible();
  const box = await found.boundingBox();
  expect(box?.height).toBeGreaterThanOrEqual(44);
  const widths = await mobile.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(widths[0]).toBeLessThanOrEqual(widths[1] ?? 0);
  await found.tap();
  await expect(mobile).toHaveURL(/\/netdisk\/files\/home\//);
  await expect(palette(mobile)).toBeHidden();
});

test("/ leads to the page's search, ? tells the keys, and a field keeps both", async ({ page }) => {
  await arrive(page);
  await open(page, "/users/user_list", "用户列表");
  await page.keyboard.press("/");
  const search = page.getByRole("searchbox");
  await expect(search).toBeFocused();
  await page.keyboard.type("a/?");
  await expect(search).toHaveValue("a/?");
  await search.blur();
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "键盘快捷键" });
  await expect(keys.getByText("到本页的搜索框")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(keys).toBeHidden();
  // The disk's own search box is its page's.
  await openFolder(page, "/");
  await page.keyboard.press("/");
  await expect(page.getByLabel("搜索文件")).toBeFocused();
});

test("the keyboard comes to every card of a server", async ({ page, api }) => {
  const form = { name: "gpu-r02", endpoint: "unix:///run/no-engine.sock", publicHost: "gpu-r02.lab" };
  const { id } = await api.post<Schemas["ServerView"]>("/api/servers", form);
  for (const node of ["/dev/davinci0", "/dev/davinci1", "/dev/davinci2"])
    await api.post("/api/gpus", { server: id, model: "昇腾 910B", deviceNodes: [node] });
  await arrive(page);
  await open(page, "/servers/server_list", "服务器列表");
  const square = (index: number) => page.getByRole("button", { name: new RegExp(`^卡 ${index}：`) });
  await tabTo(page, "button", /^卡 0：/);
  await page.keyboard.press("ArrowRight");
  await expect(square(1)).toBeFocused();
  const told = page.getByRole("tooltip").filter({ hasText: "gpu-r02 · 卡 1 · 昇腾 910B" });
  await expect(told).toBeVisible();
  await page.keyboard.press("End");
  await expect(square(2)).toBeFocused();
  // One stop of the Tab key for all of them.
  await page.keyboard.press("Shift+Tab");
  await expect(square(0)).not.toBeFocused();
  await expect(square(1)).not.toBeFocused();
});
