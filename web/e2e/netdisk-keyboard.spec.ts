// The disk without a mouse.
import type { Page } from "@playwright/test";
import { entry, openFolder } from "./fixtures/disk";
import { chooseByKeys, tabTo } from "./fixtures/keys";
import { arrive, expect, test } from "./fixtures/test";

const dialog = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });
const grid = (page: Page) => page.getByRole("grid", { name: "文件" });
const selected = (page: Page, name: string) =>
  expect(entry(page, name)).toHaveAttribute("aria-selected", "true");

test("make, select, rename, copy, pack, delete and bring back by keyboard only", async ({ page, disk }) => {
  await disk.upload("/home/a.txt", "a");
  await disk.upload("/home/b.txt", "b");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await expect(entry(page, "a.txt")).toBeVisible();

  await tabTo(page, "button", "新建文件夹");
  await page.keyboard.press("Enter");
  await expect(dialog(page, "新建文件夹").getByLabel("名称")).toBeFocused();
  await page.keyboard.type("d");
  await page.keyboard.press("Enter");
  await selected(page, "d");

  await tabTo(page, "grid", "文件");
  await page.keyboard.press("End");
  await selected(page, "b.txt");
  await page.keyboard.press("Shift+F10");
  await expect(page.getByRole("menuitem", { name: "重命名" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(grid(page)).toBeFocused();
  // The next menu is another one.
  await expect(page.getByRole("menuitem", { name: "重命名" })).toBeHidden();
  await page.keyboard.press("ContextMenu");
  await chooseByKeys(page, "重命名");
  await expect(page.getByLabel("新名称")).toBeFocused();
  await page.keyboard.type("c");
  await page.keyboard.press("Enter");
  await selected(page, "c.txt");
  await expect(grid(page)).toBeFocused();

  await page.keyboard.press("ArrowUp");
  await selected(page, "a.txt");
  await page.keyboard.press("Control+c");
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await expect(page.getByText("这里有点冷清")).toBeVisible();
  await page.keyboard.press("Control+v");
  await expect(entry(page, "a.txt")).toBeVisible();
  await tabTo(page, "link", "我的文件");
  await page.keyboard.press("Enter");
  await expect(entry(page, "c.txt")).toBeVisible();

  await tabTo(page, "grid", "文件");
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+End");
  await expect(page.getByText("已选 3 项")).toBeVisible();
  await tabTo(page, "button", "压缩");
  await page.keyboard.press("Enter");
  await expect(dialog(page, "压缩 3 项").getByLabel("压缩包的名称")).toBeFocused();
  await page.keyboard.type("all");
  await page.keyboard.press("Enter");
  await expect(entry(page, "all.zip")).toBeVisible();
  await tabTo(page, "button", "清除已结束的");
  await page.keyboard.press("Enter");

  await tabTo(page, "grid", "文件");
  await page.keyboard.press("Escape");
  await page.keyboard.press("End");
  await selected(page, "c.txt");
  await page.keyboard.press("Delete");
  await expect(dialog(page, "删除 c.txt？").getByRole("button", { name: "删除" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(grid(page)).toBeFocused();
  await page.keyboard.press("Control+f");
  await page.keyboard.type("c.t");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("textbox", { name: "搜索文件" })).toHaveValue("");
  await expect(grid(page)).toBeFocused();
  await page.keyboard.press("Delete");
  await expect(dialog(page, "删除 c.txt？").getByRole("button", { name: "删除" })).toBeFocused();
  await page.keyboard.press("Enter");
  await disk.expectNames("/home/", ["d", "a.txt", "all.zip"]);
  await tabTo(page, "link", "回收站");
  await page.keyboard.press("Enter");
  await tabTo(page, "button", "恢复");
  await page.keyboard.press("Enter");
  await disk.expectNames("/home/", ["d", "a.txt", "all.zip", "c.txt"]);
});

test("find, open, edit and leave by keyboard only", async ({ page, disk }) => {
  await disk.makeFolder("/home/d");
  await disk.upload("/home/d/notes.txt", "text");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.keyboard.press("Control+f");
  await page.keyboard.type("notes");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("link", { name: /notes\.txt/ })).toBeVisible();
  await tabTo(page, "link", /notes\.txt/);
  await page.keyboard.press("Enter");
  const text = page.getByRole("textbox", { name: "notes.txt 的内容" });
  await expect(text).toBeFocused();
  await page.keyboard.type("more ");
  await page.keyboard.press("Control+s");
  await expect(page.getByText("已保存")).toBeVisible();
  // A Tab alone belongs to the text.
  await page.keyboard.press("Tab");
  await expect(text).toBeFocused();
  await page.keyboard.press("Control+s");
  await expect(page.getByText("没有修改")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await expect(text).not.toBeFocused();
  await tabTo(page, "button", "返回文件夹");
  await page.keyboard.press("Enter");
  await expect(entry(page, "notes.txt")).toBeVisible();
  expect((await disk.download("/home/d/notes.txt")).toString()).toBe("  more text");
});
