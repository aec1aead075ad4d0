// Finding files, what is known of them, and several at once as an archive.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { act, downloaded, entry, openFolder } from "./fixtures/disk";
import { arrive, expect, phone, test } from "./fixtures/test";

const run = promisify(execFile);

test("S009 S078 S271 S272 S273 S274 S410 searches two levels down with Enter; Escape closes; a hit opens", async ({
  page,
  disk,
}) => {
  for (const folder of ["/home/one", "/home/one/two", "/home/one/two/three"]) await disk.makeFolder(folder);
  await disk.upload("/home/model-a.pth", "x");
  await disk.upload("/home/one/model-b.pth", "x");
  await disk.upload("/home/one/two/model-c.pth", "x");
  await disk.upload("/home/one/two/three/model-d.pth", "x");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.keyboard.press("Control+f");
  const box = page.getByRole("textbox", { name: "搜索文件" });
  await expect(box).toBeFocused();
  await page.keyboard.press("Enter");
  const results = page.getByRole("region", { name: "搜索结果" });
  await expect(results).toHaveCount(0);
  await box.fill("  model ");
  await box.press("Enter");
  await expect(results.getByRole("link", { name: /model-b\.pth/ })).toBeVisible();
  await expect(results).toContainText("找到 2 项");
  await expect(results.getByText("model-d.pth")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(results).toHaveCount(0);
  await expect(entry(page, "model-a.pth")).toBeVisible();

  await box.fill("nothing-like-this");
  await box.press("Enter");
  await expect(results.getByText("没有找到")).toBeVisible();
  await box.fill("model-b");
  await box.press("Enter");
  await results.getByRole("link", { name: /model-b\.pth/ }).click();
  await expect(page).toHaveURL(/\/netdisk\/files\/home\/one\/model-b\.pth$/);
  // What was looked for does not stay there as if it were still being shown.
  await expect(box).toHaveValue("");
});

test("what is looked for stands in the address: over a reload, by a link, and on the way back", async ({
  page,
  disk,
}) => {
  await disk.makeFolder("/home/one");
  await disk.upload("/home/one/model a.pth", "x");
  await disk.upload("/home/model-b.pth", "x");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  const box = page.getByRole("textbox", { name: "搜索文件" });
  const results = page.getByRole("region", { name: "搜索结果" });
  await box.fill("model");
  await box.press("Enter");
  await expect(results).toContainText("找到 2 项");
  await expect(box).toBeFocused();
  await expect(page).toHaveURL("/netdisk/files/home/?search=model");
  await box.fill("b.pth");
  await box.press("Enter");
  await expect(results).toContainText("找到 1 项");
  await page.goBack();
  await expect(results).toHaveCount(0);
  await expect(box).toHaveValue("");
  await expect(entry(page, "model-b.pth")).toBeVisible();
  await page.goForward();
  await expect(results).toContainText("找到 1 项");
  await expect(box).toHaveValue("b.pth");
  await page.reload();
  await expect(results).toContainText("找到 1 项");

  // A prompt above it takes the first Escape; the next leaves no second stop behind.
  await page.keyboard.press("F1");
  await expect(page.getByRole("dialog", { name: "网盘的按键" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "网盘的按键" })).toHaveCount(0);
  await expect(results).toContainText("找到 1 项");
  await page.keyboard.press("Escape");
  await expect(results).toHaveCount(0);
  await expect(page).toHaveURL("/netdisk/files/home/");

  // By a link from outside; back from a hit leads to what was found.
  await page.goto("/netdisk/files/home/?sort=size&order=asc&search=model%20a");
  await expect(box).toHaveValue("model a");
  await results.getByRole("link", { name: /model a\.pth/ }).click();
  await expect(page).toHaveURL("/netdisk/files/home/one/model%20a.pth");
  await page.goBack();
  await expect(results.getByRole("link", { name: /model a\.pth/ })).toBeVisible();
  await results.getByRole("button", { name: "关闭" }).click();
  await expect(page).toHaveURL("/netdisk/files/home/?sort=size&order=asc");
  await expect(entry(page, "one")).toBeVisible();

  // What is made is seen where it is made.
  await box.fill("model");
  await box.press("Enter");
  await expect(results).toContainText("找到 2 项");
  await page.getByRole("button", { name: "新建文件夹" }).first().click();
  await page.getByRole("dialog").getByRole("textbox").fill("made");
  await page.keyboard.press("Enter");
  await expect(entry(page, "made")).toBeVisible();
  await expect(results).toHaveCount(0);
});

test("S249 shows 50 hits, and 50 more at the bottom", async ({ page, disk }) => {
  for (let index = 0; index < 60; index += 1) await disk.upload(`/home/hit-${index}.txt`, "x");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  const box = page.getByRole("textbox", { name: "搜索文件" });
  await box.fill("hit");
  await box.press("Enter");
  const links = page.getByRole("region", { name: "搜索结果" }).getByRole("link");
  await expect(links).toHaveCount(50);
  await links.last().scrollIntoViewIfNeeded();
  await expect(links).toHaveCount(60);
});

test("S357 digests and the size of a folder are computed when asked for", async ({ page, disk }) => {
  await disk.makeFolder("/home/d/e");
  await disk.upload("/home/d/a.txt", "hello");
  await disk.upload("/home/d/e/b.txt", "world!");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await act(page, "d", "信息");
  const facts = page.getByRole("dialog", { name: "信息" });
  await facts.getByRole("button", { name: "计算大小" }).click();
  await expect(facts).toContainText("11.00 B（2 个文件，1 个文件夹）");
  await page.keyboard.press("Escape");
  await openFolder(page, "/home/d/");
  await act(page, "a.txt", "信息");
  await facts.getByRole("button", { name: "计算 SHA-256" }).click();
  await expect(facts).toContainText(createHash("sha256").update("hello").digest("hex"));
  await facts.getByRole("button", { name: "计算 MD5" }).click();
  await expect(facts).toContainText(createHash("md5").update("hello").digest("hex"));
});

test("S146 S359 S360 S409 several things and folders are downloaded as the chosen archive", async ({
  page,
  disk,
}) => {
  await disk.makeFolder("/home/d");
  await disk.upload("/home/d/in.txt", "in");
  await disk.upload("/home/a, b #1.txt", "ab");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+s");
  const prompt = page.getByRole("dialog", { name: "打包下载 2 项" });
  await prompt.getByRole("radio", { name: /^targz/ }).check();
  const path = await downloaded(page, () => prompt.getByRole("button", { name: "下载" }).click());
  const { stdout } = await run("tar", ["tzf", path]);
  expect(stdout).toContain("a, b #1.txt");
  expect(stdout).toContain("d/in.txt");
});

test("S358 a download opens in a window of its own, with a ticket in its address", async ({ page, disk }) => {
  await disk.makeFolder("/home/d");
  await disk.upload("/home/d/a.txt", "hello");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await act(page, "d", "下载");
  const opening = page.context().waitForEvent("page");
  const asked = page.context().waitForEvent("request", (request) => request.url().includes("/disk/api/raw/"));
  const path = await downloaded(page, () =>
    page.getByRole("dialog").getByRole("button", { name: "下载" }).click(),
  );
  expect((await opening) === page).toBe(false);
  const { pathname, searchParams } = new URL((await asked).url());
  expect([pathname, searchParams.get("algo")]).toEqual(["/disk/api/raw/home/d/", "zip"]);
  expect(searchParams.get("auth")).toBeTruthy();
  expect((await run("unzip", ["-l", path])).stdout).toContain("a.txt");
  await expect(page).toHaveURL("/netdisk/files/home/");
});

test("S114 S400 the header is a phone's up to a width of 736", async ({ page, api }) => {
  await api.user({ username: "zhangmin" });
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  const search = page.getByRole("button", { name: "搜索", exact: true });
  const side = page.getByRole("navigation", { name: "网盘位置" });
  await page.getByRole("button", { name: "收起侧栏" }).click();
  await expect(side).toHaveCount(0);
  await page.getByRole("button", { name: "展开侧栏" }).click();
  await expect(side).toBeVisible();
  await page.setViewportSize({ width: 737, height: 800 });
  await expect(search).toHaveCount(0);
  await expect(page.getByRole("textbox", { name: "搜索文件" })).toBeVisible();
  await page.setViewportSize({ width: 736, height: 800 });
  await expect(search).toBeVisible();
});

test("on a phone the search opens from its button", async ({ visitor, disk }) => {
  await disk.upload("/home/found.txt", "x");
  const page = await visitor(phone);
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.getByRole("button", { name: "搜索", exact: true }).tap();
  await page.getByRole("textbox", { name: "搜索文件" }).fill("found");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("link", { name: /found\.txt/ })).toBeVisible();
});
