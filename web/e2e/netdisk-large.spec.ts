// Folders and files so large that they show what a page does wrong.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { entry, openFolder } from "./fixtures/disk";
import { arrive, expect, test } from "./fixtures/test";

const entries = 100_000;

/** Beside the server's back: uploading so many would take minutes. */
async function fill(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let from = 0; from < entries; from += 1000)
    await Promise.all(
      Array.from({ length: 1000 }, (_, at) => writeFile(join(folder, `样本 ${from + at}.txt`), "")),
    );
}

test("a folder of 100 000 entries is opened, walked to its end, and selected as a whole", async ({
  page,
  server,
}) => {
  test.setTimeout(120_000);
  await fill(join(server.folder, "data/disk/share/many"));
  await arrive(page);
  await openFolder(page, "/share/many/");
  const bar = page.getByRole("region", { name: "所选项操作" });
  await expect(entry(page, "样本 0.txt")).toBeVisible();
  await expect(page.getByRole("grid", { name: "文件" })).toHaveAttribute("aria-rowcount", `${entries + 1}`);

  await page.keyboard.press("Control+a");
  await expect(bar).toContainText("已选 100,000 项");
  await expect(entry(page, "样本 0.txt")).toHaveAttribute("aria-selected", "true");
  // It can be worked with at once, also while the rest of it is still coming.
  await bar.getByRole("button", { name: "删除" }).click();
  const question = page.getByRole("dialog", { name: "删除选中的 100000 项？" });
  await expect(question).toBeVisible({ timeout: 60_000 });
  await question.getByRole("button", { name: "取消" }).click();
  await entry(page, "样本 1.txt").click({ modifiers: ["Control"] });
  await expect(bar).toContainText("已选 99,999 项");
  await page.keyboard.press("Escape");

  await page.getByRole("grid", { name: "文件" }).press("End");
  await expect(entry(page, "样本 99999.txt")).toBeVisible();
  await expect(entry(page, "样本 99999.txt")).toHaveAttribute("aria-rowindex", `${entries + 1}`);
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, -36_000);
  await expect(entry(page, "样本 99000.txt")).toBeVisible();
  await page.getByRole("grid", { name: "文件" }).press("Home");
  await expect(entry(page, "样本 0.txt")).toBeVisible();
});
