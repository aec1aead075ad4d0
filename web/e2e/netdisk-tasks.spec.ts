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
import { arrive, expect, phone, test } from "./fixtures/test";

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

/** Reading it takes a while. As a file of holes it takes no room. */
const longBytes = 7 * 1024 ** 3;

/** The beginning of a tar with one file in it. */
function tarHeader(name: string, bytes: number): Buffer {
  const header = Buffer.alloc(512);
  header.write(name);
  header.write("0000644\0", 100);
  header.write(`${bytes.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        0", 148);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
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
  await arrive(page, "zhangmin");
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
  await arrive(page, "zhangmin");
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
  await arrive(page, "zhangmin");
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
  // It stays to be read until it is removed, also for who was not there.
  await page.reload();
  await expect(tasks(page)).toContainText("失败：服务重启，任务已中断，请重新发起");
  await tasks(page).getByRole("button", { name: "清除已结束的" }).click();
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
  // A tap on the row opens it.
  await entry(page, "a.txt").getByRole("checkbox").tap();
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

test("what can't be unpacked says why, and leaves nothing", async ({ page, disk, faults }) => {
  faults.expectStatus(400);
  await withFolder(async (folder) => {
    await writeFile(join(folder, "a.txt"), "text ".repeat(1_000));
    const packed = async (name: string, command: string, ...args: string[]) => {
      await run(command, args, { cwd: folder });
      return readFile(join(folder, name));
    };
    await disk.upload("/home/locked.zip", await packed("l.zip", "zip", "-P", "secret", "l.zip", "a.txt"));
    const whole = await packed("w.zip", "zip", "w.zip", "a.txt");
    await disk.upload("/home/half.zip", whole.subarray(0, whole.length / 2));
    const tar = await packed("w.tar.gz", "tar", "czf", "w.tar.gz", "a.txt");
    await disk.upload("/home/half.tar.gz", tar.subarray(0, tar.length / 2));
    // A name that leads out and a link that does; what is harmless beside them comes out.
    const transform = "--transform=s,^a,../a,";
    await run("ln", ["-s", "/etc/passwd", "link"], { cwd: folder });
    await writeFile(join(folder, "good.txt"), "good");
    const hostile = await packed("h.tar", "tar", "cPf", "h.tar", transform, "a.txt", "link", "good.txt");
    await disk.upload("/home/hostile.tar", hostile);
  });
  await disk.upload("/home/no.zip", "no archive");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  for (const [name, words] of [
    ["locked.zip", "解压 locked.zip 失败：压缩包有密码，不能在这里解压，请下载后解压"],
    ["half.zip", "解压 half.zip 失败：压缩包已损坏，或者内容不完整"],
    ["half.tar.gz", "解压 half.tar.gz 失败：压缩包已损坏，或者内容不完整"],
    ["no.zip", "解压失败：不是能解压的压缩包，或者内容不完整"],
    ["hostile.tar", "解压 hostile.tar 已完成"],
  ] as const) {
    await act(page, name, "解压到这里");
    await expect(page.getByText(words).first()).toBeVisible();
  }
  await expect(tasks(page)).toContainText("跳过 2 项");
  await disk.expectNames("/home/hostile/", ["good.txt"]);
  const left = ["hostile", "half.tar.gz", "half.zip", "hostile.tar", "locked.zip", "no.zip"];
  await disk.expectNames("/home/", left);
});

test("packing and unpacking that is cancelled on the way leaves nothing", async ({ page, disk, server }) => {
  await disk.makeFolder("/home/big");
  const home = join(server.folder, "data/disk/home/zhangmin");
  const file = await open(join(home, "big/nothing.bin"), "w");
  await file.truncate(2 ** 40);
  await file.close();
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await act(page, "big", "压缩");
  await page
    .getByRole("dialog", { name: "压缩 big" })
    .getByRole("radio", { name: /^targz/ })
    .check();
  await page.keyboard.press("Enter");
  await expect(tasks(page)).toContainText("压缩 big");
  await expect(tasks(page).getByRole("progressbar", { name: "压缩 big 的进度" })).toBeVisible();
  await tasks(page).getByRole("button", { name: "取消 压缩 big" }).click();
  await expect(tasks(page)).toContainText("已取消");
  await tasks(page).getByRole("button", { name: "清除已结束的" }).click();
  await disk.expectNames("/home/", ["big"]);

  const archive = await open(join(home, "long.tar"), "w");
  await archive.write(tarHeader("nothing.bin", longBytes));
  await archive.truncate(512 + longBytes + 1024);
  await archive.close();
  await page.getByRole("button", { name: "刷新" }).click();
  await act(page, "long.tar", "解压到这里");
  await expect(tasks(page).getByRole("progressbar", { name: "解压 long.tar 的进度" })).toBeVisible();
  await tasks(page).getByRole("button", { name: "取消 解压 long.tar" }).click();
  await expect(tasks(page)).toContainText("已取消");
  await disk.expectNames("/home/", ["big", "long.tar"]);
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
