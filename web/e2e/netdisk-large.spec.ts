// Folders and files so large that they show what a page does wrong.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { entry, openFolder, upload } from "./fixtures/disk";
import { withFolder } from "./fixtures/files";
import { arrive, expect, test } from "./fixtures/test";

/** Both are many times what a page shows, and more than it reads at once. */
const entries = process.env.E2E_ALL ? 100_000 : 20_000;
const inWords = entries.toLocaleString("en");

/** Beside the server's back: uploading so many would take minutes. */
async function fill(folder: string, count: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let from = 0; from < count; from += 1000)
    await Promise.all(
      Array.from({ length: Math.min(1000, count - from) }, (_, at) =>
        writeFile(join(folder, `样本 ${from + at}.txt`), ""),
      ),
    );
}

test("a folder of very many entries is opened, walked to its end, and selected as a whole", async ({
  page,
  server,
}) => {
  test.setTimeout(120_000);
  await fill(join(server.folder, "data/disk/share/many"), entries);
  await arrive(page);
  await openFolder(page, "/share/many/");
  const bar = page.getByRole("region", { name: "所选项操作" });
  await expect(entry(page, "样本 0.txt")).toBeVisible();
  await expect(page.getByRole("grid", { name: "文件" })).toHaveAttribute("aria-rowcount", `${entries + 1}`);

  await page.keyboard.press("Control+a");
  await expect(bar).toContainText(`已选 ${inWords} 项`);
  await expect(entry(page, "样本 0.txt")).toHaveAttribute("aria-selected", "true");
  // It can be worked with at once, also while the rest of it is still coming.
  await bar.getByRole("button", { name: "删除" }).click();
  const question = page.getByRole("dialog", { name: `删除选中的 ${inWords} 项？` });
  await expect(question).toBeVisible({ timeout: 60_000 });
  await question.getByRole("button", { name: "取消" }).click();
  await entry(page, "样本 1.txt").click({ modifiers: ["Control"] });
  await expect(bar).toContainText(`已选 ${(entries - 1).toLocaleString("en")} 项`);
  await page.keyboard.press("Escape");

  await page.getByRole("grid", { name: "文件" }).press("End");
  await expect(entry(page, `样本 ${entries - 1}.txt`)).toBeVisible();
  await expect(entry(page, `样本 ${entries - 1}.txt`)).toHaveAttribute("aria-rowindex", `${entries + 1}`);
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, -36_000);
  await expect(entry(page, `样本 ${entries - 1000}.txt`)).toBeVisible();
  await page.getByRole("grid", { name: "文件" }).press("Home");
  await expect(entry(page, "样本 0.txt")).toBeVisible();

  await entry(page, "样本 1.txt").click();
  await entry(page, "样本 3.txt").click({ modifiers: ["Control"] });
  await expect(bar).toContainText("已选 2 项");
  await page.keyboard.press("Delete");
  const two = page.getByRole("dialog", { name: "删除选中的 2 项？" });
  await two.getByRole("button", { name: "删除", exact: true }).click();
  await expect(entry(page, "样本 1.txt")).toHaveCount(0);
  await expect(entry(page, "样本 2.txt")).toBeVisible();
});

test("what is asked for while all is still being read is done to all of it", async ({ page, server }) => {
  await fill(join(server.folder, "data/disk/share/many"), 3000);
  await arrive(page);
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  await page.route(/share\/many\/\?offset=2200&/, async (route) => {
    await opened;
    await route.continue();
  });
  await openFolder(page, "/share/many/");
  await expect(entry(page, "样本 0.txt")).toBeVisible();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await expect(page.getByText("正在读取全部文件…")).toBeVisible();
  open();
  const question = page.getByRole("dialog", { name: "删除选中的 3,000 项？" });
  await question.getByRole("button", { name: "取消" }).click();
  const bar = page.getByRole("region", { name: "所选项操作" });
  await expect(bar).toContainText("已选 3,000 项");

  // Folders come before files, so there is no more to show where files have begun.
  await bar.getByRole("button", { name: "复制" }).click();
  const copy = page.getByRole("dialog", { name: "复制 3,000 项" });
  await expect(copy.getByText("里面没有文件夹")).toBeVisible();
  await expect(copy.getByRole("button", { name: "显示更多" })).toHaveCount(0);
});

for (const stop of ["停止", "取消"])
  test(`deleting many says how far it is, and is stopped by ${stop}`, async ({ page, server }) => {
    const count = 300;
    const deleted = 100;
    await fill(join(server.folder, "data/disk/share/many"), count);
    await arrive(page);
    await openFolder(page, "/share/many/");
    await expect(entry(page, "样本 0.txt")).toBeVisible();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");

    // The server keeps the page waiting after so many, until it was stopped.
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    let asked = 0;
    await page.route("**/api/resources/share/many/*", async (route) => {
      if (route.request().method() === "DELETE") asked += 1;
      if (asked > deleted) await opened;
      await route.continue();
    });
    await page.getByRole("dialog").getByRole("button", { name: "删除", exact: true }).click();
    await expect(page.getByText(/^正在删除 \d+ \/ 300/)).toBeVisible();
    await expect.poll(() => asked).toBeGreaterThan(deleted);
    await page.getByRole("button", { name: stop, exact: true }).click();
    open();
    await expect(page.getByText(/^已停止，已删除 10\d 项$/)).toBeVisible();
    const left = count - asked;
    await expect(page.getByRole("grid", { name: "文件" })).toHaveAttribute("aria-rowcount", `${left + 1}`);
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await page.unrouteAll();
  });

test("a folder of thousands of small files is sent, paused and taken up while the page is used", async ({
  page,
  disk,
  faults,
}) => {
  test.setTimeout(180_000);
  // What was broken off by pausing may have arrived, and is recognized when it is sent again.
  faults.expectStatus(409);
  const count = process.env.E2E_ALL ? 10_000 : 3_000;
  await disk.makeFolder("/home/x");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  const panel = page.getByRole("complementary", { name: "传输" });
  const done = async () =>
    Number(new RegExp(`(\\d+) / ${count}`).exec((await panel.textContent()) ?? "")?.[1]);
  await withFolder(async (folder) => {
    for (let part = 0; part < count / 1000; part += 1) {
      await mkdir(join(folder, "many", `${part}`), { recursive: true });
      await Promise.all(
        Array.from({ length: 1000 }, (_, at) =>
          writeFile(join(folder, "many", `${part}`, `${at}.txt`), `text ${at}`),
        ),
      );
    }
    await upload(page, "文件夹", join(folder, "many"));
    await expect(panel).toContainText(`many/（${count} 个文件）`, { timeout: 60_000 });
    await expect.poll(done).toBeGreaterThan(20);
    await entry(page, "x").click();
    await expect(entry(page, "x")).toHaveAttribute("aria-selected", "true");
    await page.keyboard.press("Escape");

    await panel.getByRole("button", { name: "全部暂停" }).click();
    await expect(panel).toContainText("已暂停");
    await expect(panel.getByRole("button", { name: "全部继续" })).toBeVisible();
    await page.getByRole("button", { name: "刷新" }).click();
    await expect(entry(page, "many")).toBeVisible();
    const before = await done();
    await panel.getByRole("button", { name: "全部继续" }).click();
    await expect.poll(done).toBeGreaterThan(before + 20);

    await panel.getByRole("button", { name: /^取消/ }).click();
    await expect(panel).toHaveCount(0);
  });
});
