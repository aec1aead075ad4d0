// Every operation of the disk, with names that mean something to addresses, shells, editors and file systems.
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";
import type { Api } from "./fixtures/api";
import * as listing from "./fixtures/disk";
import { downloaded, openFolder, shownNames, upload } from "./fixtures/disk";
import { withFolder } from "./fixtures/files";
import { arrive, expect, test } from "./fixtures/test";

const run = promisify(execFile);

interface Names {
  /** Of a file, and of the folder that it lies in. */
  name: string;
  /** What it is renamed to. */
  other: string;
}

/** One, as each goes through everything: what one place alone would misread stands beside what another would. */
const always: Record<string, Names> = {
  "what addresses and editors are made of": {
    name: "#a ?b=c&d=e+f 100% %2f %2F..%25 <$(e)>😀.txt",
    other: `..\\http:__x;y,'z' "double" \`back\` 👩‍🔬 %zz%00.txt`,
  },
};
/** For `./test --all`; the disk's own tests try these names in each run. */
const longer: Record<string, Names> = {
  "spaces around, a dash and backslashes": {
    name: "  leading\\and|trailing  ",
    other: "-rf --help *\\slash.txt",
  },
  "marks for right to left, and combining ones": {
    name: "\u200f\u202eright\u202c e\u0301\u0323.txt",
    other: "\u2067שלום\u2069 \u00e9.txt",
  },
  "255 bytes": { name: `${"长".repeat(83)}ab.txt`, other: `${"b".repeat(251)}.txt` },
};

const kinds = process.env.E2E_ALL ? { ...always, ...longer } : always;

const address = (...names: string[]) => `/netdisk/files/${names.map(encodeURIComponent).join("/")}`;
const dialog = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });
const tasks = (page: Page) => page.getByRole("complementary", { name: "后台任务" });

/** A backslash leads somewhere else on other systems, so archives have none. */
const inArchive = (name: string) => name.replaceAll("..\\", "__").replaceAll("\\", "_");

/** How a listing shows a name: with what turns the text around made visible, since an ending must be the ending. */
const shown = (name: string) => name.replace(/[\u200f\u202c\u202e\u2067\u2069]/g, "\ufffd");
const entry = (page: Page, name: string) => listing.entry(page, shown(name));
const act = (page: Page, name: string, action: string) => listing.act(page, shown(name), action);

/** What a prompt makes of a name. */
const typed = (name: string) => name.trim();

async function makeAndUpload(page: Page, disk: Api, name: string, content: string) {
  await openFolder(page, "/home/");
  if (typed(name) === name) {
    await page
      .getByRole("region", { name: "文件夹操作" })
      .getByRole("button", { name: "新建文件夹" })
      .click();
    await expect(dialog(page, "新建文件夹").getByLabel("名称")).toBeFocused();
    await dialog(page, "新建文件夹").getByLabel("名称").fill(name);
    await page.keyboard.press("Enter");
  } else {
    await disk.makeFolder(`/home/${name}`);
    await page.reload();
  }
  await expect.poll(() => shownNames(page)).toEqual([shown(name)]);
  await entry(page, name).dblclick();
  await expect(page).toHaveURL(`${address("home", name)}/`);
  await withFolder(async (folder) => {
    await writeFile(join(folder, name), content);
    await upload(page, "文件", join(folder, name));
    await expect(page.getByText("上传完成").first()).toBeVisible();
  });
  await expect.poll(() => shownNames(page)).toEqual([shown(name)]);
  await disk.expectNames(`/home/${name}/`, [name]);
}

async function edit(page: Page, name: string) {
  await act(page, name, "打开");
  await expect(page).toHaveURL(address("home", name, name));
  const area = page.locator(".cm-content");
  await expect(area).toBeFocused();
  await page.keyboard.type("edited ");
  await page.keyboard.press("Control+s");
  await expect(page.getByText("已保存").first()).toBeVisible();
  await page.getByRole("button", { name: "返回文件夹" }).click();
  await expect.poll(() => shownNames(page)).toEqual([shown(name)]);
}

async function rename(page: Page, from: string, to: string) {
  await act(page, from, "重命名");
  await expect(page.getByLabel("新名称")).toBeFocused();
  await page.getByLabel("新名称").fill(to);
  await page.keyboard.press("Enter");
  await expect.poll(() => shownNames(page)).toEqual([shown(to)]);
}

async function copyAndMove(page: Page, disk: Api, folder: string, name: string) {
  // Selected by its new name, a click would take that back.
  await page.reload();
  await entry(page, name).click();
  await page.keyboard.press("Control+c");
  await page.keyboard.press("Control+v");
  await expect(page.getByText("已复制 1 项").first()).toBeVisible();
  await expect.poll(async () => (await shownNames(page)).length).toBe(2);
  const copy = (await disk.names(`/home/${folder}/`)).find((each) => each !== name) ?? "";
  await disk.makeFolder(`/home/${folder}/inner`);
  await page.reload();
  await entry(page, copy).dragTo(entry(page, "inner"));
  await expect(page.getByText("已移动 1 项").first()).toBeVisible();
  await disk.expectNames(`/home/${folder}/inner/`, [copy]);
  await act(page, name, "移动到");
  const prompt = dialog(page, /^移动/);
  await prompt.getByRole("option", { name: "inner" }).click();
  await prompt.getByRole("button", { name: "移动", exact: true }).click();
  await expect.poll(() => shownNames(page)).toEqual(["inner"]);
  await disk.expectNames(`/home/${folder}/inner/`, [copy, name]);
}

/** Finds the file by its ending, and opens it from there. */
async function search(page: Page, folder: string, name: string) {
  await openFolder(page, `/home/${folder}/`);
  await page.keyboard.press("Control+f");
  await page.getByRole("textbox", { name: "搜索文件" }).fill("txt");
  await page.keyboard.press("Enter");
  const hits = page.getByRole("region", { name: "搜索结果" }).getByRole("link");
  const targets = () =>
    hits.evaluateAll((links) => links.map((link) => decodeURIComponent(link.getAttribute("href") ?? "")));
  const target = `/netdisk/files/home/${folder}/inner/${name}`;
  await expect.poll(targets).toContain(target);
  await hits.nth((await targets()).indexOf(target)).click();
  await expect(page.getByRole("heading", { level: 2 })).toBeVisible();
  expect(decodeURIComponent(new URL(page.url()).pathname)).toBe(target);
}

async function download(page: Page, folder: string, name: string, content: string) {
  const button = page.getByRole("main").getByRole("button", { name: "下载" });
  await expect(page.locator(".cm-content")).toBeVisible();
  expect(await readFile(await downloaded(page, () => button.click()), "utf8")).toBe(content);
  await openFolder(page, `/home/${folder}/inner/`);
  await expect(entry(page, name)).toBeVisible();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+s");
  const prompt = dialog(page, "打包下载 2 项");
  await prompt.getByRole("radio", { name: /^targz/ }).check();
  const path = await downloaded(page, () => prompt.getByRole("button", { name: "下载" }).click());
  await withFolder(async (target) => {
    await mkdir(join(target, "out"));
    await run("tar", ["xzf", path, "-C", join(target, "out")]);
    const found = await readFile(join(target, "out", inArchive(name)), "utf8");
    expect(found).toBe(content);
  });
}

async function share(disk: Api, path: string, name: string) {
  const { name: shared } = await disk.publicShare(await disk.share(path));
  expect(shared).toBe(name);
}

async function packAndUnpack(page: Page, disk: Api, folder: string, name: string, content: string) {
  await page.keyboard.press("Escape");
  await act(page, name, "压缩");
  await expect(dialog(page, /^压缩/).getByLabel("压缩包的名称")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(tasks(page)).toContainText("已完成");
  const archives = async () =>
    (await disk.names(`/home/${folder}/inner/`)).filter((each) => each.endsWith(".zip"));
  await expect.poll(archives).toHaveLength(1);
  const [archive = ""] = await archives();
  await expect(entry(page, archive)).toBeVisible();
  await tasks(page).getByRole("button", { name: "清除已结束的" }).click();
  await act(page, archive, "解压到这里");
  await expect(tasks(page)).toContainText("已完成");
  const unpacked = archive.slice(0, -".zip".length);
  await expect(entry(page, unpacked).first()).toBeVisible();
  const made = (await disk.names(`/home/${folder}/inner/${unpacked}/`)).join();
  expect(made).toBe(inArchive(name));
  expect((await disk.download(`/home/${folder}/inner/${unpacked}/${made}`)).toString()).toBe(content);
  await tasks(page).getByRole("button", { name: "清除已结束的" }).click();
}

async function removeAndRestore(page: Page, disk: Api, folder: string, name: string, content: string) {
  const inner = `/home/${folder}/inner/`;
  const before = await disk.names(inner);
  await act(page, name, "删除");
  await dialog(page, /^删除/).getByRole("button", { name: "删除" }).click();
  await expect(page.getByText("已删除 1 项").first()).toBeVisible();
  await disk.expectNames(
    inner,
    before.filter((each) => each !== name),
  );
  await page.getByRole("link", { name: "回收站" }).click();
  await page.getByRole("table", { name: "回收站" }).getByRole("button", { name: "恢复" }).click();
  await expect(page.getByText("已恢复 1 项").first()).toBeVisible();
  await disk.expectNames(inner, before);
  expect((await disk.download(`${inner}${name}`)).toString()).toBe(content);
  await openFolder(page, "/home/");
  await entry(page, folder).click();
  await page.keyboard.press("Shift+Delete");
  await expect(dialog(page, /^彻底删除/)).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByText("这里有点冷清")).toBeVisible();
  await disk.expectNames("/home/", []);
}

for (const [kind, { name, other }] of Object.entries(kinds)) {
  test(`S001 S005 S006 S007 S009 names with ${kind}: every operation`, async ({ page, disk }) => {
    test.setTimeout(180_000);
    const content = `content of ${name}`;
    const edited = `edited ${content}`;
    await arrive(page, "zhangmin");
    await test.step("make, upload", () => makeAndUpload(page, disk, name, content));
    await test.step("open, edit", () => edit(page, name));
    await test.step("rename", () => rename(page, name, other));
    await test.step("copy, drag, move", () => copyAndMove(page, disk, name, other));
    await test.step("search", () => search(page, name, other));
    await test.step("download, archive", () => download(page, name, other, edited));
    await test.step("share", () => share(disk, `/home/${name}/inner/${other}`, other));
    await test.step("compress, extract", () => packAndUnpack(page, disk, name, other, edited));
    await test.step("delete, restore, delete for good", () =>
      removeAndRestore(page, disk, name, other, edited));
  });
}

test("names that differ only in how their characters are composed are two", async ({ page, disk }) => {
  const composed = "\u00e9.txt";
  const decomposed = "e\u0301.txt";
  await disk.upload(`/home/${composed}`, "composed");
  await disk.upload(`/home/${decomposed}`, "decomposed");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await expect
    .poll(async () => (await shownNames(page)).toSorted())
    .toEqual([decomposed, composed].toSorted());
  for (const [name, content] of [
    [composed, "composed"],
    [decomposed, "decomposed"],
  ] as const) {
    const path = await downloaded(page, () => act(page, name, "下载"));
    expect(await readFile(path, "utf8")).toBe(content);
  }
  await entry(page, decomposed).click();
  await page.keyboard.press("Shift+Delete");
  await page.keyboard.press("Enter");
  await disk.expectNames("/home/", [composed]);
  expect((await disk.download(`/home/${composed}`)).toString()).toBe("composed");
});
