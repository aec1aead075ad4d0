// The public page of a link, mostly in a browser where nobody is signed in.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { Api, userPassword } from "./fixtures/api";
import { downloaded } from "./fixtures/disk";
import { png } from "./fixtures/media";
import { chooseEntry } from "./fixtures/menu";
import { hardNames } from "./fixtures/names";
import { arrive, expect, fillLogin, open, phone, test, tokenOf } from "./fixtures/test";

const title = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });
const address = (hash: string, path = "") =>
  `/share/${hash}${path.split("/").map(encodeURIComponent).join("/")}?diskhost=%2Fdisk`;
const list = (page: Page) => page.getByRole("list", { name: "文件", exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("S036 S086 S150 S153 S154 S155 S156 S158 S374 anybody sees a file and downloads it", async ({
  disk,
  visitor,
  server,
}) => {
  await disk.upload("/home/论文 终稿.txt", "0123456789");
  const hash = await disk.share("/home/论文 终稿.txt");
  const page = await visitor();
  await page.goto(address(hash));
  await expect(title(page, "论文 终稿.txt")).toBeVisible();
  await expect(page).toHaveTitle("分享 - YunLab 云实验室");
  // Outside the main layout.
  await expect(page.locator("#side-menu")).toHaveCount(0);
  const box = page.getByRole("region", { name: "下载文件" });
  await expect(box).toContainText("10.00 B");
  await expect(box).toContainText(/修改时间\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
  await expect(box).toContainText("永久有效");
  await expect(box).toContainText("zhangmin 分享");
  await expect(box.getByRole("img", { name: "下载链接的二维码" })).toBeVisible();

  const download = page.waitForEvent("download");
  const saved = await downloaded(page, () => button(page, "下载文件").click());
  expect((await readFile(saved)).toString()).toBe("0123456789");
  expect((await download).url()).toBe(`${server.origin}/disk/api/public/dl/${hash}`);

  await page.getByRole("link", { name: "登录" }).click();
  await expect(page).toHaveURL(/\/login\?redirect=share$/);
  await fillLogin(page, "zhangmin", userPassword);
  await expect(title(page, "论文 终稿.txt")).toBeVisible();
  await expect(page.getByText("zhangmin", { exact: true })).toBeVisible();
});

test("S151 who is signed in sees the own name and can leave", async ({ page, disk }) => {
  await disk.upload("/home/a.txt", "a");
  const hash = await disk.share("/home/a.txt");
  await arrive(page, "zhangmin");
  await page.goto(address(hash));
  await expect(page.getByText("zhangmin", { exact: true })).toBeVisible();
  await button(page, "退出登录").click();
  await expect(page).toHaveURL(/\/login$/);
  await page.goto(address(hash));
  await expect(page.getByRole("link", { name: "登录" })).toBeVisible();
});

test("a session that has ended keeps nobody from a share", async ({ page, disk, server, faults }) => {
  faults.expectStatus(401);
  await disk.upload("/home/a.txt", "a");
  const hash = await disk.share("/home/a.txt");
  await arrive(page, "zhangmin");
  const token = await tokenOf(page);
  const session = await Api.withToken(server.origin, token);
  expect(await session.status("POST", "/api/auth/logout")).toBeLessThan(300);
  await session.dispose();
  await page.goto(address(hash));
  await expect(title(page, "a.txt")).toBeVisible();
  await expect(page.getByRole("link", { name: "登录" })).toBeVisible();
});

test("S157 files open in the browser, and nothing in them runs", async ({ disk, visitor, faults }) => {
  faults.expect(/sandbox|Content Security Policy/);
  const script = "document.documentElement.setAttribute('data-ran', 'yes')";
  await disk.upload(
    "/home/d/page.html",
    `<h1 onclick="${script}">Hello</h1><script>${script}</script><img src=x onerror="${script}">`,
  );
  await disk.upload(
    "/home/d/drawing.svg",
    `<svg xmlns="http://www.w3.org/2000/svg" onload="${script}"><text y="20">Hello</text><script>${script}</script></svg>`,
  );
  const hash = await disk.share("/home/d");
  const page = await visitor();
  for (const name of ["page.html", "drawing.svg"]) {
    await page.goto(address(hash, `/${name}`));
    const opening = page.context().waitForEvent("page");
    await page.getByRole("link", { name: "在浏览器中打开" }).click();
    const opened = await opening;
    await expect(opened.getByText("Hello")).toBeVisible();
    await opened.getByText("Hello").click();
    expect(new URL(opened.url()).search).toBe("?inline=true");
    await expect(opened.locator("[data-ran]")).toHaveCount(0);
    await opened.close();
  }
  await page.goto(address(hash));
  await expect(page.getByText("page.html")).toBeVisible();
  await expect(page.getByRole("link", { name: "在浏览器中打开" })).toHaveCount(0);
});

test("S037 S152 S155 walks down into a folder and up again", async ({ disk, visitor, faults }) => {
  faults.expectStatus(404);
  const deep = Array.from({ length: 12 }, (_, index) => `第${index + 1}层`).join("/");
  await disk.upload(`/home/d/${deep}/底.txt`, "deep down");
  await disk.upload("/home/d/a.txt", "a");
  const hash = await disk.share("/home/d");
  const page = await visitor();
  await page.goto(address(hash));
  await expect(page.getByRole("region", { name: "下载文件夹" })).toContainText("1 个文件夹，1 个文件");
  // All that is in it, also deeper.
  await expect(page.getByRole("region", { name: "下载文件夹" })).toContainText("10.00 B，共 2 个文件");
  await list(page).getByRole("link", { name: "第1层" }).click();
  await expect(title(page, "第1层")).toBeFocused();
  await list(page).getByRole("link", { name: "第2层" }).click();
  await expect(title(page, "第2层")).toBeVisible();
  await page.goBack();
  await expect(title(page, "第1层")).toBeVisible();

  await page.goto(address(hash, `/${deep}/`));
  const crumbs = page.getByRole("navigation", { name: "路径" }).getByRole("link");
  await expect(crumbs).toHaveText(["", "…", "第10层", "第11层", "第12层"]);
  await list(page).getByRole("link", { name: "底.txt" }).click();
  await expect(title(page, "底.txt")).toBeVisible();
  await expect(crumbs).toHaveText(["", "…", "第11层", "第12层", "底.txt"]);
  await crumbs.nth(2).click();
  await expect(title(page, "第11层")).toBeVisible();
  await page.getByRole("link", { name: "分享的根目录" }).click();
  await expect(title(page, "d")).toBeVisible();

  await page.goto(address(hash, "/没有/"));
  await expect(page.getByRole("alert")).toContainText("文件未找到");
  await page.getByRole("link", { name: "回到分享的根目录" }).click();
  await expect(title(page, "d")).toBeVisible();
});

test("S159 the first 500 of 600, and how many more there are", async ({ disk, visitor }) => {
  test.setTimeout(120_000);
  const names = Array.from({ length: 600 }, (_, index) => `${index}.txt`);
  for (let from = 0; from < names.length; from += 20)
    await Promise.all(names.slice(from, from + 20).map((name) => disk.upload(`/home/d/${name}`, "")));
  const hash = await disk.share("/home/d");
  const page = await visitor();
  await page.goto(address(hash));
  await expect(list(page).getByRole("listitem")).toHaveCount(500);
  await expect(page.getByText("+ 100 项未列出")).toBeVisible();
  await expect(page.getByText("600 项", { exact: true })).toBeVisible();
  await expect(page.getByRole("region", { name: "下载文件夹" })).toContainText("0 个文件夹，600 个文件");
});

test("S160 an empty folder says so", async ({ disk, visitor }) => {
  await disk.makeFolder("/home/空");
  const hash = await disk.share("/home/空");
  const page = await visitor();
  await page.goto(address(hash));
  await expect(page.getByText("这个文件夹是空的")).toBeVisible();
  await expect(page.getByText("0 项", { exact: true })).toBeVisible();
});

test("S302 S361 what is selected is downloaded, or the whole folder, in a format of choice", async ({
  disk,
  visitor,
}) => {
  for (const name of ["a, b.txt", "c.txt", "d.txt"])
    await disk.upload(`/home/d/${name}`, `content of ${name}`);
  const hash = await disk.share("/home/d");
  const page = await visitor();
  await page.goto(address(hash));
  const chosen = button(page, "下载所选");
  await expect(chosen).toBeDisabled();
  await page.getByRole("button", { name: "打包格式 zip" }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "tar", exact: true }));
  await page.getByRole("checkbox", { name: "选择 a, b.txt" }).check();
  await page.getByRole("checkbox", { name: "选择 c.txt" }).check();
  await expect(page.getByText("已选 2 项")).toBeVisible();
  const some = (await readFile(await downloaded(page, () => chosen.click()))).toString("latin1");
  expect(some).toContain("content of a, b.txt");
  expect(some).toContain("content of c.txt");
  expect(some).not.toContain("content of d.txt");

  await page.getByRole("checkbox", { name: "选择 a, b.txt" }).uncheck();
  const one = await readFile(await downloaded(page, () => chosen.click()));
  expect(one.toString()).toBe("content of c.txt");
  const download = page.waitForEvent("download");
  const whole = await readFile(await downloaded(page, () => button(page, "下载文件夹").click()));
  expect(whole.toString("latin1")).toContain("content of d.txt");
  expect(new URL((await download).url()).search).toBe("?algo=tar");
  const single = await downloaded(page, () => button(page, "下载 d.txt").click());
  expect((await readFile(single)).toString()).toBe("content of d.txt");
});

test("S238 S303 nothing can be dragged, and no thumbnails are shown", async ({ disk, visitor }) => {
  await disk.upload("/home/d/a.png", png(8, 8, [200, 0, 0]));
  await disk.makeFolder("/home/d/inner");
  const hash = await disk.share("/home/d");
  const page = await visitor();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await page.goto(address(hash));
  const source = list(page).getByRole("link", { name: "a.png" });
  await expect(source).toBeVisible();
  await expect(list(page).locator("img")).toHaveCount(0);
  await expect(list(page).locator("[draggable=true]")).toHaveCount(0);
  await source.dragTo(list(page).getByRole("link", { name: "inner" }));
  await disk.expectNames("/home/d/", ["a.png", "inner"]);
  expect(asked.filter((call) => /thumb|^(?!GET)/.test(call))).toEqual([]);
});

test("a password: wrong, then right, then kept for the tab", async ({ disk, visitor, faults }) => {
  faults.expectStatus(401);
  await disk.upload("/home/d/a.txt", "behind a password");
  const hash = await disk.share("/home/d", { password: "密码 #1" });
  const page = await visitor();
  await page.goto(address(hash, "/a.txt"));
  const field = page.getByLabel("密码", { exact: true });
  await expect(field).toBeFocused();
  await expect(button(page, "打开")).toBeDisabled();
  await page.keyboard.type("wrong");
  await page.keyboard.press("Enter");
  await expect(page.getByText("密码不正确")).toBeVisible();
  await expect(field).toBeFocused();
  // The wrong one is selected: typing replaces it.
  await page.keyboard.insertText("密码 #1");
  await page.keyboard.press("Enter");
  await expect(title(page, "a.txt")).toBeVisible();
  await page.reload();
  await expect(title(page, "a.txt")).toBeVisible();
  const saved = await downloaded(page, () => button(page, "下载文件").click());
  expect((await readFile(saved)).toString()).toBe("behind a password");
  await page.getByRole("link", { name: "分享的根目录" }).click();
  await expect(title(page, "d")).toBeVisible();
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await expect(field).toBeVisible();
});

test("who tries too many passwords has to wait", async ({ disk, visitor, faults }) => {
  faults.expectStatus(401, 429);
  await disk.upload("/home/a.txt", "a");
  const hash = await disk.share("/home/a.txt", { password: "secret" });
  const page = await visitor();
  await page.goto(address(hash));
  await page.getByLabel("密码", { exact: true }).fill("secret");
  const guess = async () => {
    const headers = { "x-share-password": "x" };
    const answer = await page.request.get(`/disk/api/public/share/${hash}`, { headers });
    if (answer.status() !== 429) throw new Error("one more may be tried");
  };
  const guesses = Array.from({ length: 15 }, guess);
  await Promise.any(guesses);
  await button(page, "打开").click();
  await expect(page.getByText(/密码试得太多，请 \d+ 秒后再试/)).toBeVisible();
  await Promise.allSettled(guesses);
});

test("S191 a link that ends while somebody looks, one that has ended, and one that never was", async ({
  disk,
  visitor,
  faults,
}) => {
  faults.expectStatus(404);
  await disk.upload("/home/a.txt", "a");
  const page = await visitor();
  await page.goto(address("AAAAAAAAAAAAAAAAAAAAAA"));
  await expect(page.getByRole("alert")).toContainText("分享不存在或已失效");
  await page.goto("/share/");
  await expect(page.getByRole("alert")).toContainText("分享不存在或已失效");
  const hash = await disk.share("/home/a.txt", { expires: 12, unit: "seconds" });
  await page.goto(address(hash));
  await expect(title(page, "a.txt")).toBeVisible();
  await expect(page.getByText(/\d+ 秒后过期/)).toBeVisible();
  // By itself.
  await expect(page.getByRole("alert")).toContainText("分享不存在或已失效", { timeout: 30_000 });
  await page.reload();
  await expect(page.getByRole("alert")).toContainText("链接可能已到期或被删除");
});

test("what is deleted while somebody looks is said to be gone", async ({ disk, visitor, faults }) => {
  faults.expectStatus(404);
  await disk.upload("/home/d/a.txt", "a");
  await disk.upload("/home/d/b.txt", "b");
  const hash = await disk.share("/home/d");
  const page = await visitor();
  await page.goto(address(hash));
  await expect(list(page).getByRole("listitem")).toHaveCount(2);
  await disk.deleteFile("/home/d/a.txt");
  await button(page, "下载 a.txt").click();
  await expect(page.getByText("下载失败：文件或文件夹不存在")).toBeVisible();
  await expect(list(page).getByRole("listitem")).toHaveCount(1);
  await disk.deleteFile("/home/d");
  await button(page, "下载文件夹").click();
  await expect(page.getByRole("alert").filter({ hasText: "分享不存在或已失效" })).toBeVisible();
});

test("a server that is away is tried again", async ({ disk, visitor, faults, server }) => {
  faults.expect(/ERR_CONNECTION_REFUSED|Failed to fetch/);
  await disk.upload("/home/a.txt", "a");
  await disk.makeFolder("/home/d");
  await disk.upload("/home/d/a.txt", "a");
  const hash = await disk.share("/home/d");
  const page = await visitor();
  await page.goto(address(hash));
  await expect(title(page, "d")).toBeVisible();
  await server.kill();
  await list(page).getByRole("link", { name: "a.txt" }).click();
  await expect(page.getByRole("alert")).toContainText("连不上服务器");
  await server.startAgain();
  await page.getByRole("button", { name: "重试" }).click();
  await expect(title(page, "a.txt")).toBeVisible();
});

test("names of every kind are walked into, opened and downloaded, and stay text", async ({
  disk,
  visitor,
}) => {
  test.setTimeout(120_000);
  for (const name of hardNames) await disk.upload(`/home/d/${name}/${name}`, name);
  const hash = await disk.share("/home/d");
  const page = await visitor();
  for (const name of hardNames) {
    await page.goto(address(hash));
    await list(page).getByRole("link", { name, exact: true }).click();
    await expect(title(page, name)).toBeVisible();
    await page.getByRole("checkbox", { name: `选择 ${name}`, exact: true }).check();
    await list(page).getByRole("link", { name, exact: true }).click();
    await expect(button(page, "下载文件")).toBeVisible();
    const saved = await downloaded(page, () => button(page, "下载文件").click());
    expect((await readFile(saved)).toString()).toBe(name);
    await page.goBack();
    await expect(list(page)).toBeVisible();
  }
  await page.goto(address(hash));
  const all = page.getByRole("checkbox", { name: "全选" });
  await all.check();
  const archive = await readFile(await downloaded(page, () => button(page, "下载所选").click()));
  // In archives a backslash would be taken for a folder's end.
  for (const name of hardNames.filter((each) => !each.includes("\\")))
    expect(archive.includes(Buffer.from(`${name}/${name}`)), name).toBe(true);
});

test("S038 the storage host in the link is kept, and a stranger's gets no token", async ({
  page,
  disk,
  server,
}) => {
  await disk.upload("/home/a.txt", "a");
  const hash = await disk.share("/home/a.txt");
  await arrive(page, "zhangmin");
  const kept = () => page.evaluate(() => localStorage.getItem("storage_host"));
  const own = `${server.origin}/disk`;
  await page.goto(`/share/${hash}?diskhost=${encodeURIComponent(own)}`);
  await expect(title(page, "a.txt")).toBeVisible();
  await expect.poll(kept).toBe(own);

  const told: string[] = [];
  await page.route("https://files.example/**", (route) => {
    told.push(JSON.stringify(route.request().headers()));
    const now = new Date().toISOString();
    const file = { path: "/", name: "theirs.txt", size: 1, extension: ".txt", modified: now, mode: 420 };
    return route.fulfill({
      json: { ...file, isDir: false, isSymlink: false, type: "text" },
      headers: { "access-control-allow-origin": server.origin },
    });
  });
  const theirs = "https://files.example/disk";
  await page.goto(`/share/${hash}?diskhost=${encodeURIComponent(theirs)}`);
  await expect(page.getByText("files.example 不是本站的存储服务器")).toBeVisible();
  expect(told).toEqual([]);
  await button(page, "仍要打开").click();
  await expect(title(page, "theirs.txt")).toBeVisible();
  await expect.poll(kept).toBe(theirs);

  // Nor later, when the portal is used again.
  await open(page, "/netdisk/files/home/", "网盘");
  await expect(page.getByText("a.txt")).toBeVisible();
  expect(told.join().toLowerCase()).not.toContain("authorization");
  expect(told.join().toLowerCase()).not.toContain("login_token");

  await page.goto(`/share/${hash}?diskhost=javascript%3Aalert(1)`);
  await expect(page.getByRole("alert")).toContainText("分享不存在或已失效");
});

test("by keyboard alone: into a folder, a file, its download", async ({ disk, visitor }) => {
  await disk.upload("/home/d/inner/a.txt", "a");
  const hash = await disk.share("/home/d");
  const page = await visitor();
  await page.goto(address(hash));
  await expect(title(page, "d")).toBeVisible();
  const tabTo = async (name: string) => {
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    for (let steps = 0; steps < 30 && (await focused()) !== name; steps++) await page.keyboard.press("Tab");
    expect(await focused()).toBe(name);
    await page.keyboard.press("Enter");
  };
  await tabTo("inner");
  await expect(title(page, "inner")).toBeFocused();
  await tabTo("a.txt");
  await expect(title(page, "a.txt")).toBeFocused();
  const saved = await downloaded(page, () => tabTo("下载文件"));
  expect((await readFile(saved)).toString()).toBe("a");
});

test("on a phone the code is shown when it is asked for, and everything fits", async ({ disk, visitor }) => {
  await disk.upload(`/home/d/${"很长的名字".repeat(12)}.txt`, "a");
  const hash = await disk.share("/home/d");
  const page = await visitor(phone);
  await page.goto(address(hash));
  await expect(title(page, "d")).toBeVisible();
  await expect(page.getByRole("img", { name: "下载链接的二维码" })).toHaveCount(0);
  await button(page, "显示二维码").tap();
  await expect(page.getByRole("img", { name: "下载链接的二维码" })).toBeVisible();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(wide).toBeLessThanOrEqual(0);
  const left = async (name: string | RegExp) =>
    (await page.getByRole("checkbox", { name }).boundingBox())?.x ?? Number.NaN;
  expect(Math.abs((await left("全选")) - (await left(/^选择 /)))).toBeLessThanOrEqual(1);
  for (const name of ["下载文件夹", "打包格式 zip", "收起二维码", "下载所选"]) {
    const { height } = (await button(page, name).boundingBox()) ?? { height: 0 };
    expect(height, name).toBeGreaterThanOrEqual(44);
  }
});
