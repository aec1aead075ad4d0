// The command panel: real programs in the real sandbox, from the panel at the bottom of the file browser.
import type { Page } from "@playwright/test";
import type { Api } from "./fixtures/api";
import { entry, openFolder, shownNames } from "./fixtures/disk";
import { arrive, expect, phone, test } from "./fixtures/test";

const panel = (page: Page) => page.getByRole("region", { name: "命令行", exact: true });
const button = (page: Page) => page.getByRole("button", { name: "命令行", exact: true });
const output = (page: Page) => panel(page).getByRole("log", { name: "命令的输出" });
const field = (page: Page) => panel(page).getByRole("textbox", { name: "命令" });
const stop = (page: Page) => panel(page).getByRole("button", { name: "停止" });

/** Where the kernel lets nobody make a sandbox there is no panel to look at. */
async function needsSandbox(api: Api) {
  const { exec } = await api.diskSettings();
  test.skip(!exec, "bubblewrap can't make a sandbox here");
}

/** Zhangmin, who may run these programs. */
async function permit(api: Api, disk: Api, commands: string[]): Promise<number> {
  await disk.names("/home/");
  const id = (await api.userNamed("zhangmin"))?.id ?? 0;
  await api.changeDiskUser(id, { perm: { execute: true }, commands });
  return id;
}

async function openPanel(page: Page, folder = "/home/") {
  await arrive(page, "zhangmin");
  await openFolder(page, folder);
  await button(page).click();
  await expect(field(page)).toBeFocused();
}

async function run(page: Page, line: string) {
  await field(page).fill(line);
  await page.keyboard.press("Enter");
}

test("S010 S136 S366 a command runs in the folder that is shown, and its status is told", async ({
  page,
  api,
  disk,
}) => {
  await needsSandbox(api);
  await permit(api, disk, ["ls", "pwd", "cat", "sh"]);
  await disk.makeFolder("/home/数据 1");
  await disk.upload("/home/数据 1/a b.txt", "第一行\n第二行\n");
  await openPanel(page, "/home/数据 1/");
  await expect(output(page)).toContainText("可以运行：ls、pwd、cat、sh");
  await expect(panel(page)).toContainText("/home/数据 1 $");
  await run(page, "cat 'a b.txt'");
  await expect(output(page)).toContainText("第一行\n第二行");
  await expect(panel(page)).toContainText("退出状态 0");
  await run(page, "sh -c 'echo kaputt >&2; exit 7'");
  await expect(output(page)).toContainText("kaputt");
  await expect(output(page)).toContainText("退出状态 7");
  // The panel stays while the folder changes, and the next command runs there.
  await page.getByRole("navigation", { name: "网盘位置" }).getByRole("link", { name: "公共共享" }).click();
  await expect(panel(page)).toContainText("/share $");
  await run(page, "pwd");
  await expect(output(page).getByText("/share", { exact: true }).last()).toBeVisible();
  await expect(output(page)).toContainText("第一行");
});

test("S010 what a command makes is in the listing when it has ended", async ({ page, api, disk }) => {
  await needsSandbox(api);
  await permit(api, disk, ["touch", "rm"]);
  await disk.upload("/home/old.txt", "x");
  await openPanel(page);
  await run(page, "touch made.txt");
  await expect.poll(() => shownNames(page)).toEqual(["made.txt", "old.txt"]);
  await run(page, "rm old.txt");
  await expect.poll(() => shownNames(page)).toEqual(["made.txt"]);
});

test("S195 S275 S276 S277 history by the arrows, nothing for nothing, clear, exit", async ({
  page,
  api,
  disk,
}) => {
  await needsSandbox(api);
  await permit(api, disk, ["echo"]);
  await openPanel(page);
  await run(page, "echo first");
  await expect(output(page).getByText("first", { exact: true })).toBeVisible();
  await run(page, "echo second");
  await expect(output(page).getByText("second", { exact: true })).toBeVisible();
  await run(page, "   ");
  await expect(output(page).getByText(/\$/)).toHaveCount(2);
  await field(page).fill("half typed");
  await page.keyboard.press("ArrowUp");
  await expect(field(page)).toHaveValue("echo second");
  await page.keyboard.press("ArrowUp");
  await expect(field(page)).toHaveValue("echo first");
  await page.keyboard.press("ArrowUp");
  await expect(field(page)).toHaveValue("echo first");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(field(page)).toHaveValue("half typed");
  await run(page, "clear");
  await expect(output(page).getByText("second")).toHaveCount(0);
  await run(page, "exit");
  await expect(panel(page)).toBeHidden();
  await expect(button(page)).toBeFocused();
  // The lines are still known when it is opened again.
  await page.keyboard.press("Enter");
  await expect(field(page)).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(field(page)).toHaveValue("exit");
});

test("lines come while the command runs; Ctrl+C ends it, and the next can run", async ({
  page,
  api,
  disk,
}) => {
  await needsSandbox(api);
  await permit(api, disk, ["sh", "echo"]);
  await openPanel(page);
  await run(page, "sh -c 'echo waiting; while [ ! -e go ]; do sleep 0.1; done; echo went'");
  await expect(output(page).getByText("waiting", { exact: true })).toBeVisible();
  await expect(panel(page)).toContainText("正在运行 sh -c");
  await disk.upload("/home/go", "");
  await expect(output(page).getByText(/^waiting\s+went$/)).toBeVisible();
  await run(page, "sh -c 'echo started; sleep 600; echo late'");
  await expect(output(page).getByText("started", { exact: true })).toBeVisible();
  await page.keyboard.press("Control+c");
  await expect(output(page)).toContainText("^C 已停止");
  await expect(stop(page)).toBeHidden();
  await run(page, "echo next");
  await expect(output(page).getByText("next", { exact: true })).toBeVisible();
  await expect(output(page).getByText("late", { exact: true })).toHaveCount(0);
});

test("a command goes on while another page is visited", async ({ page, api, disk }) => {
  await needsSandbox(api);
  await permit(api, disk, ["sh"]);
  await openPanel(page);
  await run(page, "sh -c 'echo waiting; while [ ! -e go ]; do sleep 0.1; done; echo went'");
  await expect(output(page).getByText("waiting", { exact: true })).toBeVisible();
  await page.locator("#side-menu").getByRole("link", { name: "首页" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "首页" })).toBeAttached();
  await disk.upload("/home/go", "");
  await page.locator("#side-menu").getByRole("link", { name: "网盘", exact: true }).click();
  await expect(output(page).getByText(/^waiting\s+went$/)).toBeVisible();
});

test("a great deal of output: the last lines, a note, and a page that can be used", async ({
  page,
  api,
  disk,
}) => {
  test.setTimeout(120_000);
  await needsSandbox(api);
  await permit(api, disk, ["seq", "yes"]);
  await openPanel(page);
  await run(page, "seq 20000");
  await expect(panel(page)).toContainText("退出状态 0", { timeout: 30_000 });
  await expect(output(page)).toContainText("20000");
  await expect(output(page)).toContainText(/更早的 15,[0-9]{3} 行没有保留/);
  await run(page, `yes ${"x".repeat(2_000)}`);
  await expect(output(page)).toContainText("输出太多，已结束（退出状态 137）", { timeout: 30_000 });
  await expect(output(page)).not.toContainText("killed");
  const lines = ((await output(page).textContent()) ?? "").split("\n");
  expect(lines.length).toBeLessThan(5_200);
  await page.getByRole("button", { name: "刷新" }).click();
  await run(page, "clear");
  await expect(output(page)).toContainText("可以运行");
});

test("escapes, markup and what is no text are shown and do nothing", async ({ page, api, disk }) => {
  await needsSandbox(api);
  await permit(api, disk, ["cat"]);
  const raw =
    '\u001b[31mred\u001b[0m \u001b]0;title\u0007<img src=x onerror="document.title=1"> \u0007\u202eabc';
  await disk.upload("/home/raw", Buffer.concat([Buffer.from(`${raw}\n`), Buffer.from([0xff, 0xfe, 10])]));
  await openPanel(page);
  await run(page, "cat raw");
  await expect(output(page)).toContainText('red <img src=x onerror="document.title=1"> ␇');
  await expect(output(page)).toContainText("\ufffd\ufffd");
  await expect(output(page).locator("img")).toHaveCount(0);
  await expect(page).toHaveTitle(/^网盘 - /);
});

test("what is not allowed is not run, and the reason is told", async ({ page, api, disk }) => {
  await needsSandbox(api);
  await permit(api, disk, ["ls"]);
  await openPanel(page);
  for (const [line, reason] of [
    ["rm -rf /", "不在允许的命令里"],
    ["/bin/ls", "不在允许的命令里"],
    ["ls 'open", "引号没有配对"],
  ] as const) {
    await run(page, line);
    await expect(output(page)).toContainText(`没有运行 ${line}：${reason}`);
  }
  await expect(output(page)).not.toContainText("not allowed");
});

test("S293 the button follows the permission, the panel the switch of the whole disk", async ({
  page,
  api,
  disk,
  faults,
}) => {
  faults.expectStatus(403);
  faults.expect(/WebSocket connection to .* failed/);
  await needsSandbox(api);
  await disk.names("/home/");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await expect(button(page)).toBeDisabled();
  await expect(button(page)).toHaveAttribute("title", "没有执行命令的权限");
  const id = await permit(api, disk, ["ls"]);
  await page.reload();
  await button(page).click();
  // Rules and a sandbox do not go together.
  const rule = { regex: false, allow: false, path: "/home/secret", regexp: { raw: "" } };
  await api.changeDiskUser(id, { rules: [rule] });
  await run(page, "ls");
  await expect(output(page)).toContainText("不能在网盘里运行命令：没有权限，或有限制访问的规则");
  await api.changeDisk({ exec: false });
  await page.reload();
  await expect(page.getByRole("region", { name: "文件夹操作" })).toBeVisible();
  await expect(page.getByRole("button", { name: "平铺" })).toBeVisible();
  await expect(button(page)).toHaveCount(0);
});

test("a server that goes away ends the command, and is there for the next", async ({
  page,
  api,
  disk,
  server,
  faults,
}) => {
  faults.expect(/WebSocket connection to|ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|Failed to load resource/);
  await needsSandbox(api);
  await permit(api, disk, ["sh", "echo"]);
  await openPanel(page);
  await run(page, "sh -c 'echo started; sleep 600'");
  await expect(output(page).getByText("started", { exact: true })).toBeVisible();
  await server.kill();
  await expect(output(page)).toContainText("连接断开，命令已结束");
  await run(page, "echo again");
  await expect(output(page)).toContainText("连不上服务器");
  await server.startAgain();
  await run(page, "echo back");
  await expect(output(page).getByText("back", { exact: true })).toBeVisible();
});

test("the panel is made higher and lower: with the mouse and with keys", async ({ page, api, disk }) => {
  await needsSandbox(api);
  await permit(api, disk, ["ls"]);
  await openPanel(page);
  const edge = panel(page).getByRole("separator", { name: "命令行的高度" });
  const height = async () => (await panel(page).boundingBox())?.height ?? 0;
  const before = await height();
  const box = await edge.boundingBox();
  if (!box) throw new Error("the edge is not there");
  const x = box.x + box.width / 2;
  const y = box.y + box.height / 2;
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 150, { steps: 5 });
  await page.mouse.up();
  expect(Math.abs((await height()) - before - 150)).toBeLessThan(10);
  await edge.focus();
  await page.keyboard.press("ArrowDown");
  await expect.poll(height).toBeLessThan(before + 140);
  await page.keyboard.press("Home");
  await expect(edge).toHaveAttribute("aria-valuenow", "15");
  await page.keyboard.press("End");
  await expect(edge).toHaveAttribute("aria-valuenow", "80");
});

test("its keys are not the files'", async ({ page, api, disk }) => {
  await needsSandbox(api);
  await permit(api, disk, ["ls"]);
  await disk.upload("/home/a.txt", "x");
  await openPanel(page);
  await entry(page, "a.txt").click();
  await panel(page).getByRole("button", { name: "清空输出" }).focus();
  await page.keyboard.press("Delete");
  await field(page).fill("x");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await expect(field(page)).toHaveValue("");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await disk.expectNames("/home/", ["a.txt"]);
});

test("on a phone: the last line taken again by its button, closed, dragged by a finger", async ({
  visitor,
  api,
  disk,
}) => {
  await needsSandbox(api);
  await permit(api, disk, ["echo"]);
  const page = await visitor(phone);
  await openPanel(page);
  await run(page, "echo hand");
  await expect(output(page).getByText("hand", { exact: true })).toBeVisible();
  await panel(page).getByRole("button", { name: "上一条命令" }).tap();
  await expect(field(page)).toHaveValue("echo hand");
  await panel(page).getByRole("button", { name: "关闭命令行" }).tap();
  await expect(panel(page)).toBeHidden();
  await button(page).tap();
  const edge = panel(page).getByRole("separator", { name: "命令行的高度" });
  const box = await edge.boundingBox();
  if (!box) throw new Error("the edge is not there");
  expect(box.height).toBeGreaterThanOrEqual(44);
  const before = (await panel(page).boundingBox())?.height ?? 0;
  const touch = await page.context().newCDPSession(page);
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at] });
  await touch.send("Input.dispatchTouchEvent", {
    type: "touchMove",
    touchPoints: [{ x: at.x, y: at.y - 120 }],
  });
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await expect.poll(async () => (await panel(page).boundingBox())?.height ?? 0).toBeGreaterThan(before + 100);
});
