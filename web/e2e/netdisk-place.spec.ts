// Coming back to a folder leads to where somebody was in it.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { card, enterFolder, entry, openFolder } from "./fixtures/disk";
import { arrive, expect, test } from "./fixtures/test";

const nameOf = (at: number) => `f${String(at).padStart(3, "0")}.txt`;

/** The list is at this entry. */
async function expectActive(page: Page, place: Locator) {
  const id = (await place.getAttribute("id")) ?? "";
  await expect(page.getByRole("grid", { name: "文件" })).toHaveAttribute("aria-activedescendant", id);
}

test("back from a file, by button, key or the browser: the list stands where it stood, and goes on from there", async ({
  page,
  server,
}) => {
  const folder = join(server.folder, "data/disk/share/many");
  await mkdir(folder, { recursive: true });
  for (let at = 0; at < 300; at += 1) await writeFile(join(folder, nameOf(at)), "text");
  await arrive(page);
  await openFolder(page, "/share/");
  await enterFolder(page, "many");
  const grid = page.getByRole("grid", { name: "文件" });
  await grid.press("End");
  await expect(entry(page, nameOf(299))).toBeInViewport();
  await grid.hover();
  await page.mouse.wheel(0, -1_500);
  const file = entry(page, nameOf(250));
  await expect(file).toBeInViewport();
  const top = async () => (await file.boundingBox())?.y ?? 0;
  const before = await top();
  await file.dblclick();
  await page.getByRole("button", { name: "返回文件夹" }).click();
  await expect(file).toBeInViewport();
  await expect.poll(async () => Math.abs((await top()) - before)).toBeLessThanOrEqual(36);
  await expectActive(page, file);
  await expect(grid).toBeFocused();
  await expect(file).toHaveAttribute("aria-selected", "false");

  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 2, name: nameOf(251) })).toBeVisible();
  await page.goBack();
  await expectActive(page, entry(page, nameOf(251)));
  await expect(entry(page, nameOf(251))).toBeInViewport();

  await page.getByRole("button", { name: "平铺" }).click();
  await expect(card(page, nameOf(251))).toBeInViewport();
  await card(page, nameOf(251)).dblclick();
  await page.getByRole("button", { name: "返回文件夹" }).click();
  await expect(card(page, nameOf(251))).toBeInViewport();
  await expectActive(page, card(page, nameOf(251)));
  await page.getByRole("button", { name: "列表" }).click();
  await expect(entry(page, nameOf(251))).toBeInViewport();

  // The way down is the place in the folder above; what is opened anew begins at its top.
  const path = page.getByRole("navigation", { name: "路径" });
  await path.getByRole("link", { name: "公共共享" }).click();
  await expectActive(page, entry(page, "many"));
  await enterFolder(page, "many");
  await expect(entry(page, nameOf(0))).toBeInViewport();
  await expect(grid).not.toHaveAttribute("aria-activedescendant", /./);
});
