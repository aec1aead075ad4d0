// How somebody likes to see the disk, kept with their account: list or mosaic, one click or two, the order.
import { card, entry, openFolder, shownNames } from "./fixtures/disk";
import { png } from "./fixtures/media";
import { arrive, expect, test } from "./fixtures/test";

test("S126 S127 the mosaic shows folders, then files, by mouse and by keyboard, also next time", async ({
  page,
  disk,
}) => {
  for (const name of ["d1", "d2"]) await disk.makeFolder(`/home/${name}`);
  for (const name of ["a.txt", "b.txt", "c.txt", "d.txt"]) await disk.upload(`/home/${name}`, name);
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.getByRole("button", { name: "平铺" }).click();
  await expect(page.getByText("文件夹 2", { exact: true })).toBeVisible();
  await expect(page.getByText("文件 4", { exact: true })).toBeVisible();
  await card(page, "a.txt").click();
  await expect(card(page, "a.txt")).toHaveAttribute("aria-selected", "true");
  await page.getByRole("grid", { name: "文件" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(card(page, "b.txt")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowUp");
  await expect(card(page, "d2")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page.getByText("这里有点冷清")).toBeVisible();
  await page.goto("/netdisk/files/home/");
  await expect(page.getByText("文件夹 2", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "列表" }).click();
  await expect(page.getByRole("columnheader", { name: "名称" })).toBeVisible();
});

test("S176 the order is kept for the next visit", async ({ page, disk }) => {
  await disk.upload("/home/a.txt", "xx");
  await disk.upload("/home/b.txt", "x");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.getByRole("button", { name: "大小" }).click();
  await expect.poll(() => shownNames(page)).toEqual(["b.txt", "a.txt"]);
  await openFolder(page, "/home/");
  await expect.poll(() => shownNames(page)).toEqual(["b.txt", "a.txt"]);
});

test("S216 in single-click mode a click opens; names with a dot can be hidden", async ({ page, disk }) => {
  await disk.makeFolder("/home/d");
  await disk.upload("/home/.hidden", "x");
  await arrive(page, "zhangmin");
  await page.goto("/settings/netdisk_settings");
  await expect(page).toHaveURL(/netdisk_settings\/profile$/);
  // The page is left afterwards, which would break off what is still being saved.
  for (const name of ["单击打开", "隐藏以点开头的文件"]) {
    const saved = page.waitForResponse((answer) => answer.request().method() === "PUT");
    await page.getByRole("switch", { name }).click();
    await saved;
  }
  await expect(page.getByRole("switch", { name: "隐藏以点开头的文件" })).toBeChecked();
  await openFolder(page, "/home/");
  await expect.poll(() => shownNames(page)).toEqual(["d"]);
  await entry(page, "d").click();
  await expect(page.getByText("这里有点冷清")).toBeVisible();
});

test("S187 S303 pictures have thumbnails in the mosaic", async ({ page, disk }) => {
  await disk.upload("/home/a.png", png(400, 300, [200, 40, 40]));
  await disk.upload("/home/b.txt", "x");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.getByRole("button", { name: "平铺" }).click();
  const picture = card(page, "a.png").locator("img");
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(384);
  await expect(card(page, "b.txt").locator("img")).toHaveCount(0);
});
