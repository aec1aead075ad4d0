// Large uploads that are paused or cut off by a reload of the page, and go on. The server's end is netdisk-cut.spec.ts.
import { join } from "node:path";
import { entry, openFolder, upload } from "./fixtures/disk";
import { sha256, sha256At, withFolder, writeRandom } from "./fixtures/files";
import { arrive, expect, test } from "./fixtures/test";
import { offsets, panel, reaches, slow } from "./fixtures/transfers";

const megabyte = 1024 * 1024;
test("pauses and goes on from where it was", async ({ page, disk, server }) => {
  const sent = offsets(page);
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await withFolder(async (folder) => {
    const path = join(folder, "model.pth");
    await writeRandom(path, 24 * megabyte);
    await slow(page, 8 * megabyte);
    await upload(page, "文件", path);
    await reaches(page, "model.pth", 30);
    await panel(page).getByRole("button", { name: "暂停 model.pth" }).click();
    await expect(panel(page)).toContainText("已暂停");
    await disk.expectNames("/home/", []);
    await slow(page, 0);
    await panel(page).getByRole("button", { name: "继续 model.pth" }).click();
    await expect(page.getByText("上传完成")).toBeVisible();
    expect(sent.length).toBe(2);
    expect(sent[1]).toBeGreaterThan(0);
    expect(await sha256At(`${server.origin}/disk/api/raw/home/model.pth`, disk.token)).toBe(
      await sha256(path),
    );
  });
});

test("after a reload the panel asks for the file and goes on with it, and takes no other", async ({
  page,
  disk,
  server,
}) => {
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await withFolder(async (folder) => {
    const path = join(folder, "data.tar");
    const other = join(folder, "other.tar");
    await writeRandom(path, 24 * megabyte);
    await writeRandom(other, megabyte);
    await slow(page, 8 * megabyte);
    await upload(page, "文件", path);
    await reaches(page, "data.tar", 30);
    page.once("dialog", (question) => void question.accept());
    await page.reload();
    await expect(panel(page)).toContainText("请重新选择这个文件继续");
    await expect(panel(page)).toContainText("1 未传完");
    await slow(page, 0);
    const pick = async (file: string) => {
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        panel(page).getByRole("button", { name: "选择文件 data.tar 继续上传" }).click(),
      ]);
      await chooser.setFiles(file);
    };
    await pick(other);
    await expect(page.getByText("请选择原来的文件 data.tar")).toBeVisible();
    const sent = offsets(page);
    await pick(path);
    await expect(page.getByText("上传完成")).toBeVisible();
    expect(sent[0]).toBeGreaterThan(0);
    await expect(entry(page, "data.tar")).toBeVisible();
    expect(await sha256At(`${server.origin}/disk/api/raw/home/data.tar`, disk.token)).toBe(
      await sha256(path),
    );
    await page.reload();
    await expect(entry(page, "data.tar")).toBeVisible();
    await expect(panel(page)).toHaveCount(0);
  });
});

test("a taken name is asked about before anything is sent", async ({ page, disk }) => {
  await disk.upload("/home/a.bin", "old");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  const sent = offsets(page);
  await withFolder(async (folder) => {
    const path = join(folder, "a.bin");
    await writeRandom(path, 2 * megabyte);
    await upload(page, "文件", path);
    const question = page.getByRole("dialog", { name: "替换 a.bin？" });
    await expect(question).toBeVisible();
    expect(sent).toEqual([]);
    await question.getByRole("button", { name: "覆盖" }).click();
    await expect(page.getByText("上传完成")).toBeVisible();
    expect((await disk.download("/home/a.bin")).length).toBe(2 * megabyte);
  });
});
