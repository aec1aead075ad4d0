// Work that goes on by itself: unpacking an archive, seen on every page.
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { act, entry, openFolder } from "./fixtures/disk";
import { withFolder } from "./fixtures/files";
import { expect, signIn, test } from "./fixtures/test";

const run = promisify(execFile);

test("an archive is unpacked into a folder of its name, and the panel says so", async ({ page, disk }) => {
  await withFolder(async (folder) => {
    await mkdir(join(folder, "in"));
    await writeFile(join(folder, "in", "a.txt"), "from the archive");
    await run("tar", ["czf", join(folder, "data.tar.gz"), "-C", folder, "in"]);
    await disk.upload("/home/data.tar.gz", await readFile(join(folder, "data.tar.gz")));
  });
  await disk.upload("/home/plain.txt", "x");
  await signIn(page, "zhangmin");
  await openFolder(page, "/home/");
  await entry(page, "plain.txt").hover();
  await entry(page, "plain.txt").getByRole("button", { name: "的更多操作" }).click();
  await expect(page.getByRole("menuitem", { name: "信息" })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: "解压到这里" })).toHaveCount(0);
  await page.keyboard.press("Escape");

  await act(page, "data.tar.gz", "解压到这里");
  const panel = page.getByRole("complementary", { name: "后台任务" });
  await expect(panel).toContainText("解压 data.tar.gz");
  await expect(panel).toContainText("已完成");
  await expect(entry(page, "data")).toBeVisible();
  expect((await disk.download("/home/data/in/a.txt")).toString()).toBe("from the archive");
  await panel.getByRole("button", { name: "移除 解压 data.tar.gz" }).click();
  await expect(panel).toHaveCount(0);
});
