// Work that goes on by itself: long copies and moves, packing and unpacking, seen on every page.
import { execFile } from "node:child_process";
import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";
import type { Api } from "./fixtures/api";
import { act, downloaded, enterFolder, entry, openFolder } from "./fixtures/disk";
import { withFolder } from "./fixtures/files";
import type { Server } from "./fixtures/server";
import { arrive, expect, phone, signIn, test } from "./fixtures/test";

const run = promisify(execFile);

const tasks = (page: Page) => page.getByRole("complementary", { name: "后台任务" });

/** One person's tasks run two at a time. Two without an end keep all others waiting until one is cancelled. */
async function occupy(server: Server, disk: Api): Promise<void> {
  await disk.makeFolder("/home/endless");
  const file = await open(join(server.folder, "data/disk/home/zhangmin/endless/nothing.bin"), "w");
  // Takes no room, and packed hardly any: nothing but holes.
  await file.truncate(2 ** 40);
  await file.close();
  for (const name of ["first", "second"]) {
    const destination = `/home/endless/${name}.tar.lz4`;
    const id = await disk.startTask({
      kind: "compress",
      paths: ["/home/endless/nothing.bin"],
      destination,
      format: "tarlz4",
      override: false,
      rename: false,
    });
    await expect.poll(() => disk.taskState(id)).toBe("running");
  }
}

const cancelOne = (page: Page) =>
  tasks(page)
    .getByRole("button", { name: /^取消 压缩 nothing\.bin/ })
    .first()
    .click();

async function paste(page: Page, name: string, key: "c" | "x", folder: string) {
  await entry(page, name).click();
  await page.keyboard.press(`Control+${key}`);
  await enterFolder(page, folder);
  await page.keyboard.press("Control+v");
}

test("S006 S214 S396 what takes long goes on in the background, also over a reload, and the list has it at the end", async ({
  page,
  disk,
  server,
}) => {
  for (const name of ["a", "b"]) await disk.upload(`/home/${name}.txt`, name);
  await disk.makeFolder("/home/d");
  await signIn(page, "zhangmin");
  await occupy(server, disk);
  await openFolder(page, "/home/");
  await paste(page, "a.txt", "c", "d");
  await expect(page.getByText("1 项在后台复制")).toBeVisible();
  await expect(tasks(page)).toContainText("复制 a.txt");
  await expect(tasks(page)).toContainText("排队中");
  await disk.expectNames("/home/d/", []);

  await page.reload();
  await expect(tasks(page)).toContainText("复制 a.txt");
  await expect(tasks(page)).toContainText("3 项未完成");
  await cancelOne(page);
  await expect(page.getByText("复制 a.txt 已完成")).toBeVisible();
  await expect(entry(page, "a.txt")).toBeVisible();
  await tasks(page).getByRole("button", { name: "清除已结束的" }).click();
  await expect(tasks(page).getByText("复制 a.txt")).toHaveCount(0);

  // There is room again: what is short is done at once and needs no panel.
  await openFolder(page, "/home/");
  await paste(page, "b.txt", "x", "d");
  await expect(page.getByText("已移动 1 项")).toBeVisible();
  await expect(tasks(page).getByText("移动 b.txt")).toHaveCount(0);
  await disk.expectNames("/home/d/", ["a.txt", "b.txt"]);
});

test("a conflict is asked about before it waits; cancelled, it leaves nothing", async ({
  page,
  disk,
  server,
  faults,
}) => {
  faults.expectStatus(409);
  await disk.upload("/home/a.txt", "new");
  await disk.makeFolder("/home/d");
  await disk.upload("/home/d/a.txt", "old");
  await signIn(page, "zhangmin");
  await occupy(server, disk);
  await openFolder(page, "/home/");
  await paste(page, "a.txt", "c", "d");
  const question = page.getByRole("dialog", { name: "覆盖 a.txt，还是改名？" });
  await question.getByRole("button", { name: "改名" }).click();
  await expect(tasks(page)).toContainText("复制 a.txt");
  await tasks(page).getByRole("button", { name: "取消 复制 a.txt" }).click();
  await expect(tasks(page)).toContainText("已取消");
  await cancelOne(page);
  await expect(tasks(page)).toContainText("1 项未完成");
  await disk.expectNames("/home/d/", ["a.txt"]);
  expect((await disk.download("/home/d/a.txt")).toString()).toBe("old");
});

test("a failure says why; what a restart broke off is told", async ({ page, disk, server, faults }) => {
  faults.expect(/net::ERR_|WebSocket/);
  await disk.upload("/home/a.bin", "a");
  await disk.makeFolder("/home/d");
  await signIn(page, "zhangmin");
  await occupy(server, disk);
  await openFolder(page, "/home/");
  await paste(page, "a.bin", "c", "d");
  await expect(tasks(page)).toContainText("复制 a.bin");
  // Somebody else is quicker.
  expect(await disk.status("DELETE", "/disk/api/resources/home/a.bin")).toBe(200);
  await cancelOne(page);
  await expect(page.getByText("复制 a.bin 失败：文件或文件夹不存在")).toBeVisible();
  await expect(tasks(page)).toContainText("失败：文件或文件夹不存在");
  await disk.expectNames("/home/d/", []);

  await server.kill();
  await server.startAgain();
  await expect(page.getByText("压缩 nothing.bin 中断了：存储服务器重新启动过")).toBeVisible();
  await expect(tasks(page)).toHaveCount(0);
});

test("S360 several things are packed into an archive beside them", async ({ page, disk, faults }) => {
  faults.expectStatus(409);
  await disk.makeFolder("/home/d");
  await disk.upload("/home/d/in.txt", "in");
  await disk.upload("/home/a, b #1.txt", "ab");
  await disk.upload("/home/taken.tar.gz", "old");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await entry(page, "d").click();
  await entry(page, "a, b #1.txt").click({ modifiers: ["ControlOrMeta"] });
  await page.getByRole("region", { name: "所选项操作" }).getByRole("button", { name: "压缩" }).click();
  const prompt = page.getByRole("dialog", { name: "压缩 2 项" });
  const name = prompt.getByLabel("压缩包的名称");
  await expect(name).toBeFocused();
  await expect(name).toHaveValue("我的文件");
  await prompt.getByRole("radio", { name: /^targz/ }).check();
  await name.fill("taken");
  await prompt.getByRole("button", { name: "压缩" }).click();
  await expect(prompt.getByText("已有同名的文件或文件夹")).toBeVisible();
  await name.fill("  all #2 ");
  await page.keyboard.press("Enter");
  await expect(prompt).toBeHidden();
  await expect(page.getByText("压缩为 all #2.tar.gz 已完成")).toBeVisible();
  // The folder, what is in it, and the file beside it.
  await expect(tasks(page)).toContainText("已完成 · 3 项");
  await expect(entry(page, "all #2.tar.gz")).toBeVisible();
  const path = await downloaded(page, () => act(page, "all #2.tar.gz", "下载"));
  const { stdout } = await run("tar", ["tzf", path]);
  expect(stdout).toContain("d/in.txt");
  expect(stdout).toContain("a, b #1.txt");
  expect((await disk.download("/home/taken.tar.gz")).toString()).toBe("old");
});

test("on a phone, packing is behind the selection's ⋯", async ({ visitor, disk }) => {
  await disk.upload("/home/a.txt", "a");
  const page = await visitor(phone);
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await entry(page, "a.txt").tap();
  await page.getByRole("button", { name: "所选项 的更多操作" }).tap();
  await page.getByRole("menuitem", { name: "压缩" }).tap();
  await page
    .getByRole("dialog", { name: "压缩 a.txt" })
    .getByRole("button", { name: "压缩", exact: true })
    .tap();
  await expect(entry(page, "a.zip")).toBeVisible();
  await disk.expectNames("/home/", ["a.txt", "a.zip"]);
});

test("an archive is unpacked into a folder of its name, and the panel says so", async ({ page, disk }) => {
  await withFolder(async (folder) => {
    await mkdir(join(folder, "in"));
    await writeFile(join(folder, "in", "a.txt"), "from the archive");
    await run("tar", ["czf", join(folder, "data.tar.gz"), "-C", folder, "in"]);
    await disk.upload("/home/data.tar.gz", await readFile(join(folder, "data.tar.gz")));
  });
  await disk.upload("/home/plain.txt", "x");
  await arrive(page, "zhangmin");
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

test("the panel keeps nobody from the last rows", async ({ page, disk }) => {
  await disk.makeFolder("/home/d");
  for (let index = 10; index < 40; index += 1) await disk.upload(`/home/d/f${index}.txt`, "x");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/d/");
  await entry(page, "f10.txt").click();
  await page.getByRole("region", { name: "所选项操作" }).getByRole("button", { name: "压缩" }).click();
  await page.keyboard.press("Enter");
  await expect(tasks(page)).toContainText("已完成 · 1 项");
  await page.getByRole("grid", { name: "文件" }).press("End");
  await act(page, "f39.txt", "信息");
  await expect(page.getByRole("dialog", { name: "信息" })).toContainText("f39.txt");
});
