// Uploading: conflicts, five at once, progress, what stands in the way of closing the tab, failures.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page, Route } from "@playwright/test";
import { dropFromDesktop, entry, openFolder, shownNames, upload } from "./fixtures/disk";
import { withFolder, writeRandom } from "./fixtures/files";
import { arrive, expect, test } from "./fixtures/test";
import { panel, slow } from "./fixtures/transfers";

const uploads = "**/disk/api/resources/**override=*";

async function files(folder: string, contents: Record<string, string>): Promise<string[]> {
  const paths = Object.keys(contents).map((name) => join(folder, name));
  await Promise.all(Object.entries(contents).map(([name, text]) => writeFile(join(folder, name), text)));
  return paths;
}

test("S148 S231 S280 S381 a taken name asks to replace: Enter replaces, skipping keeps", async ({
  page,
  disk,
}) => {
  await disk.upload("/home/a.txt", "old a");
  await disk.upload("/home/b.txt", "old b");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await withFolder(async (folder) => {
    const [a = "", b = ""] = await files(folder, { "a.txt": "new a", "b.txt": "new b" });
    await upload(page, "文件", a);
    await expect(page.getByRole("dialog", { name: "替换 a.txt？" })).toBeVisible();
    await expect(page.getByRole("button", { name: "覆盖" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByText("上传完成")).toBeVisible();
    expect((await disk.download("/home/a.txt")).toString()).toBe("new a");

    await upload(page, "文件", b);
    await page.getByRole("dialog", { name: "替换 b.txt？" }).getByRole("button", { name: "跳过" }).click();
    await expect(panel(page)).toContainText("已跳过，保留原来的文件");
    expect((await disk.download("/home/b.txt")).toString()).toBe("old b");
  });
});

test("S231 S234 one answer for all conflicts; Escape skips", async ({ page, disk }) => {
  const names = ["a.txt", "b.txt", "c.txt"];
  for (const name of names) await disk.upload(`/home/${name}`, "old");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await withFolder(async (folder) => {
    const paths = await files(folder, { "a.txt": "new", "b.txt": "new", "c.txt": "new" });
    await upload(page, "文件", paths);
    const question = page.getByRole("dialog", { name: "替换 3 个同名文件？" });
    await expect(question.getByRole("listitem")).toHaveCount(3);
    await page.keyboard.press("Escape");
    await expect(question).toBeHidden();
    for (const name of names) expect((await disk.download(`/home/${name}`)).toString()).toBe("old");

    await upload(page, "文件", paths);
    await question.getByRole("button", { name: "覆盖" }).click();
    await expect
      .poll(async () =>
        Promise.all(names.map(async (name) => (await disk.download(`/home/${name}`)).toString())),
      )
      .toEqual(["new", "new", "new"]);

    await upload(page, "文件", paths);
    await question.getByRole("checkbox", { name: "选择 b.txt" }).uncheck();
    await question.getByRole("button", { name: "保留两者" }).click();
    await page.getByRole("dialog", { name: "替换 b.txt？" }).getByRole("button", { name: "跳过" }).click();
    await expect(page.getByText("上传完成").last()).toBeVisible();
    await disk.expectNames("/home/", ["a.txt", "a(1).txt", "b.txt", "c.txt", "c(1).txt"]);
  });
});

/** Holds every upload back until it is let go. */
async function holdUploads(page: Page) {
  const held: Route[] = [];
  await page.route(uploads, (route) => {
    held.push(route);
  });
  return held;
}

test("S239 S240 S241 S242 S243 at most five run at once, the tab asks before it closes, then all is there", async ({
  page,
  disk,
}) => {
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  const held = await holdUploads(page);
  const names = Array.from({ length: 12 }, (_, at) => `f${String(at).padStart(2, "0")}.txt`);
  await withFolder(async (folder) => {
    const paths = await files(folder, Object.fromEntries(names.map((name) => [name, name])));
    await upload(page, "文件", paths);
    await expect(page.getByText("正在上传…")).toBeVisible();
    await expect.poll(() => held.length).toBe(5);

    const asked = page.waitForEvent("dialog");
    const closing = page.close({ runBeforeUnload: true });
    const question = await asked;
    expect(question.type()).toBe("beforeunload");
    await question.dismiss();
    await closing;
    expect(page.isClosed()).toBe(false);

    for (let done = 0; done < names.length; done += 1) {
      await expect.poll(() => held.length).toBe(Math.min(names.length, done + 5));
      await held[done]?.continue();
      await expect(panel(page)).toContainText(`${done + 1} 完成`);
    }
    await expect(page.getByText("上传完成")).toBeVisible();
    await expect(page.getByRole("progressbar", { name: "上传进度", exact: true })).toHaveCount(0);
    await expect.poll(() => shownNames(page)).toEqual(names);
    await disk.expectNames("/home/", names);
  });

  let asks = false;
  page.on("dialog", (dialog) => {
    asks = true;
    return dialog.accept();
  });
  await page.reload();
  expect(asks).toBe(false);
});

test("S120 S244 the progress is shown in the header and per file, and goes to the end", async ({
  page,
  disk,
}) => {
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await slow(page, 4 * 1024 * 1024);
  await withFolder(async (folder) => {
    const path = join(folder, "big.bin");
    await writeRandom(path, 16 * 1024 * 1024);
    await upload(page, "文件", path);
    const circle = page.getByRole("progressbar", { name: "上传进度", exact: true });
    const percent = async () => Number(await circle.getAttribute("aria-valuenow", { timeout: 5000 }));
    await expect(circle).toBeVisible();
    await expect.poll(percent).toBeGreaterThan(5);
    const seen = await percent();
    expect(seen).toBeLessThanOrEqual(100);
    await expect(page.getByRole("progressbar", { name: "big.bin 的上传进度" })).toBeVisible();
    await expect(panel(page)).toContainText("/ 16.00 MB");
    await expect(page.getByText("上传完成")).toBeVisible({ timeout: 30_000 });
    await expect(entry(page, "big.bin")).toContainText("16.00 MB");
    await disk.expectNames("/home/", ["big.bin"]);
  });
});

test("S382 a failed upload says why, leaves nothing, and can be tried again", async ({
  page,
  disk,
  faults,
}) => {
  faults.expectStatus(507);
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.route(uploads, (route) =>
    route.fulfill({
      status: 507,
      headers: { "disk-reason": "quota_exceeded" },
      body: "507 Insufficient Storage (quota exceeded)\n",
    }),
  );
  await withFolder(async (folder) => {
    await upload(page, "文件", await files(folder, { "a.txt": "a" }));
    await expect(page.getByText("a.txt 上传失败：超出网盘配额")).toBeVisible();
    await expect(panel(page)).toContainText("超出网盘配额，没有上传");
    await disk.expectNames("/home/", []);
    await page.unroute(uploads);
    await panel(page).getByRole("button", { name: "重试 a.txt" }).click();
    await expect(entry(page, "a.txt")).toBeVisible();
    expect((await disk.download("/home/a.txt")).toString()).toBe("a");
  });
});

test("over the quota nothing is stored and the page says so", async ({ page, api, apiOf, faults }) => {
  faults.expectStatus(507);
  faults.expect(/net::ERR_/);
  await api.user({ username: "zhangmin", diskQuota: 1024 * 1024 });
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await withFolder(async (folder) => {
    const path = join(folder, "too-big.bin");
    await writeRandom(path, 3 * 1024 * 1024);
    await upload(page, "文件", path);
    await expect(panel(page)).toContainText("超出网盘配额");
  });
  await (await apiOf("zhangmin")).expectNames("/home/", []);
});

test("a cancelled upload leaves nothing behind", async ({ page, disk, faults }) => {
  faults.expect(/net::ERR_/);
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await slow(page, 512 * 1024);
  await withFolder(async (folder) => {
    const path = join(folder, "big.bin");
    await writeRandom(path, 20 * 1024 * 1024);
    await upload(page, "文件", path);
    await expect(page.getByRole("progressbar", { name: "big.bin 的上传进度" })).toBeVisible();
    await panel(page).getByRole("button", { name: "取消 big.bin" }).click();
    await expect(page.getByRole("progressbar", { name: "上传进度", exact: true })).toHaveCount(0);
    await disk.expectNames("/home/", []);
  });
});

test("uploads go on while other pages are visited", async ({ page, disk }) => {
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  const held = await holdUploads(page);
  await withFolder(async (folder) => {
    await upload(page, "文件", await files(folder, { "a.txt": "a" }));
    await expect.poll(() => held.length).toBe(1);
    await page.locator("#side-menu").getByRole("link", { name: "首页" }).click();
    await expect(page).toHaveURL("/dashboard");
    await held[0]?.continue();
    await disk.expectNames("/home/", ["a.txt"]);
    await page.goBack();
    await expect(entry(page, "a.txt")).toBeVisible();
  });
});

test("what was sent before the page's last part arrived is told all the same", async ({ page, disk }) => {
  let arrives = () => {};
  const late = new Promise<void>((resolve) => {
    arrives = resolve;
  });
  await page.route(/TransferDock-.*\.js/, async (route) => {
    await late;
    await route.continue();
  });
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await withFolder(async (folder) => {
    await upload(page, "文件", await files(folder, { "早.txt": "early" }));
    await disk.expectNames("/home/", ["早.txt"]);
  });
  arrives();
  await expect(page.getByText("上传完成")).toBeVisible();
  await expect(entry(page, "早.txt")).toBeVisible();
});

test("a folder keeps its shape, also where some of it is there already", async ({ page, disk, faults }) => {
  faults.expectStatus(409);
  await disk.makeFolder("/home/实验");
  await disk.upload("/home/实验/已有.txt", "stays");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await withFolder(async (folder) => {
    const top = join(folder, "实验");
    await mkdir(join(top, "深/更深"), { recursive: true });
    await writeFile(join(top, "新.txt"), "new");
    await writeFile(join(top, "深/更深/最深.txt"), "deep");
    await writeFile(join(top, "空文件"), "");
    await upload(page, "文件夹", top);
    await expect(page.getByText("上传完成")).toBeVisible();
  });
  await disk.expectNames("/home/实验/", ["已有.txt", "新.txt", "深", "空文件"]);
  expect((await disk.download("/home/实验/深/更深/最深.txt")).toString()).toBe("deep");
  expect((await disk.download("/home/实验/空文件")).length).toBe(0);
});

test("S231 whole folders and files dragged in from the desktop; a taken name is asked about", async ({
  page,
  disk,
}) => {
  await disk.upload("/home/a.txt", "old");
  await disk.upload("/home/b.txt", "old");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await withFolder(async (folder) => {
    const top = join(folder, "实验 #1");
    await mkdir(join(top, "深/更深"), { recursive: true });
    await mkdir(join(top, "空"));
    await writeFile(join(top, "深/更深/最深.txt"), "deep");
    const paths = await files(folder, { "a.txt": "new", "b.txt": "new" });
    await dropFromDesktop(page, [top, ...paths], () =>
      expect(page.getByText("松开后上传到 我的文件")).toBeVisible(),
    );
    const both = page.getByRole("dialog", { name: "替换 2 个同名文件？" });
    await both.getByRole("checkbox", { name: "选择 b.txt" }).uncheck();
    await both.getByRole("button", { name: "覆盖" }).click();
    await page.getByRole("dialog", { name: "替换 b.txt？" }).getByRole("button", { name: "跳过" }).click();
    await expect(page.getByText("上传完成")).toBeVisible();
  });
  await expect(page.getByText("松开后上传到 我的文件")).toBeHidden();
  await disk.expectNames("/home/", ["a.txt", "b.txt", "实验 #1"]);
  await disk.expectNames("/home/实验 #1/", ["深", "空"]);
  expect((await disk.download("/home/实验 #1/深/更深/最深.txt")).toString()).toBe("deep");
  expect((await disk.download("/home/a.txt")).toString()).toBe("new");
  expect((await disk.download("/home/b.txt")).toString()).toBe("old");
});

test("where nothing may be written, nothing can be dropped, and the page says why", async ({
  page,
  disk,
}) => {
  await arrive(page, "zhangmin");
  await openFolder(page, "/");
  await withFolder(async (folder) => {
    const paths = await files(folder, { "a.txt": "a" });
    await dropFromDesktop(page, paths, () => expect(page.getByText("请先进入一个文件夹")).toBeVisible());
    await expect(page.getByText("请先进入一个文件夹")).toBeHidden();
    await expect(panel(page)).toHaveCount(0);
  });
  await disk.expectNames("/", ["datasets", "home", "share"]);
});
