// File Browser's own pages as somebody uses them who comes with them: what is done to files.
import { createHash, randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import type { Api } from "./fixtures/api";
import {
  accepted,
  allowPages,
  answerPrompt,
  button,
  choose,
  chunkSize,
  enter,
  entry,
  expect,
  fillLogin,
  openFolder,
  prompt,
  shownNames,
  test,
} from "./fixtures/filebrowser";
import { withFolder } from "./fixtures/files";

const hardFolder = "目录 😀 #?%&+";
/** What a file or a folder is renamed to. */
const newNames = ["改名 #.txt", "my file.txt", "100%25.txt", "a+b&c.txt", "%41.txt"];

const hash = (content: Buffer, algorithm = "sha256") => createHash(algorithm).update(content).digest("hex");

/** A button in the menu on the left. */
const menu = (page: Page, name: string) => page.getByRole("navigation").getByRole("button", { name });

/** Picks files, or one folder with all that is in it, in the prompt for uploads. */
async function upload(page: Page, what: "文件" | "文件夹", paths: string | string[]): Promise<void> {
  await button(page, "上传").click();
  const choosing = page.waitForEvent("filechooser");
  await prompt(page).getByText(what, { exact: true }).click();
  await (await choosing).setFiles(paths);
}

/** Waits until a file holds this. */
const expectContent = (disk: Api, path: string, content: Buffer): Promise<void> =>
  expect
    .poll(async () => hash(await disk.download(path).catch(() => Buffer.from("none"))))
    .toBe(hash(content));

test("File Browser's pages: signing in with a wrong and the right password, and out", async ({
  page,
  disk,
  faults,
}) => {
  faults.expectStatus(403);
  await disk.upload("/home/mine.txt", "x");
  await page.goto("/disk/");
  await fillLogin(page, "zhangmin", "not-it-2026");
  await expect(page.getByText("用户名或密码错误")).toBeVisible();
  await fillLogin(page, "zhangmin", "lab2026a");
  await expect(entry(page, "home")).toBeVisible();
  // Each opening of the pages renews the token.
  await accepted(page, "POST", "renew", () => openFolder(page, "/home/"));
  await expect(entry(page, "mine.txt")).toBeVisible();
  await menu(page, "退出").click();
  await expect(page.getByPlaceholder("用户名")).toBeVisible();
});

test("File Browser's pages: new folder, new file, editing, reading again", async ({ page, disk }) => {
  await enter(page);
  await menu(page, "新建文件夹").click();
  await accepted(page, "POST", "resources/home/", () => answerPrompt(page, hardFolder));
  await entry(page, hardFolder).dblclick();
  await expect(page.getByText("暂无任何文件")).toBeVisible();
  await menu(page, "新建文件").last().click();
  await accepted(page, "POST", "resources/home/", () => answerPrompt(page, "笔记 100%25.txt"));
  await expect(page.locator(".ace_text-input")).toBeFocused();
  await page.keyboard.type("the first line");
  await accepted(page, "PUT", "resources/home/", () => page.keyboard.press("Control+s"));
  await expectContent(disk, `/home/${hardFolder}/笔记 100%25.txt`, Buffer.from("the first line"));
  await page.reload();
  await expect(page.locator(".ace_content")).toContainText("the first line");
  await button(page, "关闭").click();
  await expect.poll(() => shownNames(page)).toEqual(["笔记 100%25.txt"]);
  await page.locator(".breadcrumbs").getByRole("link", { name: "home" }).click();
  await expect.poll(() => shownNames(page)).toEqual([hardFolder]);
});

test("File Browser's pages: sorting and views", async ({ page, disk }) => {
  await disk.upload("/home/a.txt", "333");
  await disk.upload("/home/b.txt", "1");
  await enter(page);
  await expect.poll(() => shownNames(page)).toEqual(["a.txt", "b.txt"]);
  const bySize = page.getByRole("button", { name: "按大小排序" });
  await accepted(page, "PUT", "users/", () => bySize.click());
  const order = (await shownNames(page)).join();
  await accepted(page, "PUT", "users/", () => bySize.click());
  await expect.poll(async () => (await shownNames(page)).join()).not.toBe(order);
  await accepted(page, "PUT", "users/", () => button(page, "切换视图").click());
  await expect(page.locator("#listing")).toHaveClass(/\bmosaic\b/);
});

test("File Browser's pages: files go up, again only when they may replace", async ({ page, disk }) => {
  const contents = new Map([
    ["empty.txt", Buffer.alloc(0)],
    ["one.txt", Buffer.from("1")],
    ["percent%41&plus+.txt", Buffer.from("both")],
    ["several chunks.bin", randomBytes(3 * chunkSize + 1)],
  ]);
  await enter(page);
  await withFolder(async (folder) => {
    for (const [name, content] of contents) await writeFile(join(folder, name), content);
    await upload(
      page,
      "文件",
      Array.from(contents.keys(), (name) => join(folder, name)),
    );
    for (const [name, content] of contents) await expectContent(disk, `/home/${name}`, content);
    await expect.poll(async () => (await shownNames(page)).toSorted()).toEqual([...contents.keys()]);
    await writeFile(join(folder, "one.txt"), "another");
    await upload(page, "文件", join(folder, "one.txt"));
    const replace = prompt(page).getByRole("button", { name: "替换目标文件夹中的所有文件" });
    await expect(replace).toBeVisible();
    await expectContent(disk, "/home/one.txt", Buffer.from("1"));
    await replace.click();
    await expectContent(disk, "/home/one.txt", Buffer.from("another"));
  });
});

test("File Browser's pages: a folder goes up, again only when it may replace", async ({ page, disk }) => {
  await enter(page);
  await withFolder(async (outer) => {
    const folder = join(outer, "相册 #1");
    await mkdir(join(folder, "里面 50%"), { recursive: true });
    await writeFile(join(folder, "里面 50%", "a b.txt"), "first");
    await writeFile(join(folder, "kept.txt"), "first");
    await upload(page, "文件夹", folder);
    await expectContent(disk, "/home/相册 #1/里面 50%/a b.txt", Buffer.from("first"));
    await expectContent(disk, "/home/相册 #1/kept.txt", Buffer.from("first"));
    await expect(entry(page, "相册 #1")).toBeVisible();
    await writeFile(join(folder, "里面 50%", "a b.txt"), "second");
    await accepted(page, "GET", "resources/recursive/home", () => upload(page, "文件夹", folder));
    await prompt(page).getByRole("button", { name: "替换目标文件夹中的所有文件" }).click();
    await expectContent(disk, "/home/相册 #1/里面 50%/a b.txt", Buffer.from("second"));
  });
});

for (const kind of ["files", "folders"] as const) {
  test(`F1 File Browser's pages: ${kind} get the names that they are renamed to`, async ({ page, disk }) => {
    const old = newNames.map((_, at) => `old ${at}`);
    for (const name of old) {
      await (kind === "files" ? disk.upload(`/home/${name}`, name) : disk.makeFolder(`/home/${name}`));
    }
    await enter(page);
    for (const [at, name] of old.entries()) {
      await choose(page, name);
      await button(page, "重命名").click();
      await accepted(page, "PATCH", "resources/home/", () => answerPrompt(page, newNames[at] ?? ""));
      await expect(entry(page, name)).toBeHidden();
    }
    await disk.expectNames("/home/", newNames);
    expect((await shownNames(page)).toSorted()).toEqual(newNames.toSorted());
  });
}

test("File Browser's pages: copying, also where the name is taken, moving, deleting", async ({
  page,
  disk,
}) => {
  await disk.makeFolder(`/home/${hardFolder}`);
  await disk.upload("/home/100%25 #.txt", "x");
  await enter(page);
  const into = async (action: "复制" | "移动") => {
    // After a copy its page shows where the copy is.
    await openFolder(page, "/home/");
    await choose(page, "100%25 #.txt");
    await button(page, `${action}文件`).click();
    await prompt(page).getByRole("button", { name: hardFolder, exact: true }).click();
    await prompt(page).getByRole("button", { name: action, exact: true }).click();
  };
  await accepted(page, "PATCH", "resources/home/", () => into("复制"));
  await disk.expectNames(`/home/${hardFolder}/`, ["100%25 #.txt"]);
  await into("复制");
  await accepted(page, "PATCH", "resources/home/", () =>
    prompt(page).getByRole("button", { name: "全部重命名（创建副本）" }).click(),
  );
  await disk.expectNames(`/home/${hardFolder}/`, ["100%25 #.txt", "100%25 #(1).txt"]);
  await into("移动");
  await accepted(page, "PATCH", "resources/home/", () =>
    prompt(page).getByRole("button", { name: "替换目标文件夹中的所有文件" }).click(),
  );
  await disk.expectNames("/home/", [hardFolder]);
  await openFolder(page, "/home/");
  await expect.poll(() => shownNames(page)).toEqual([hardFolder]);
  await choose(page, hardFolder);
  await button(page, "删除").click();
  await accepted(page, "DELETE", "resources/home/", () =>
    prompt(page).getByRole("button", { name: "删除" }).click(),
  );
  await expect(page.getByText("暂无任何文件")).toBeVisible();
  await disk.expectNames("/home/", []);
});

test("File Browser's pages: what is searched for is found", async ({ page, disk, api }) => {
  await allowPages(api);
  await disk.makeFolder(`/home/${hardFolder}/needle folder`);
  await disk.upload(`/home/${hardFolder}/a needle #1.txt`, "found");
  await enter(page);
  await page.getByRole("textbox", { name: "搜索" }).click();
  await page.getByRole("textbox", { name: "搜索" }).fill("needle");
  await accepted(page, "GET", "search/home/", () => page.keyboard.press("Enter"));
  const found = page.locator("#result").getByRole("link");
  await expect(found).toHaveCount(2);
  await found.filter({ hasText: `./${hardFolder}/a needle #1.txt` }).click();
  await expect(page.locator(".ace_content")).toContainText("found");
});

test("File Browser's pages: information and checksums", async ({ page, disk }) => {
  const content = Buffer.from("sum me up");
  await disk.upload("/home/100% #.txt", content);
  await enter(page);
  await choose(page, "100% #.txt");
  await button(page, "信息").click();
  await expect(prompt(page)).toContainText("100% #.txt");
  for (const algorithm of ["md5", "sha1", "sha256", "sha512"]) {
    await prompt(page).getByText("显示", { exact: true }).first().click();
    await expect(prompt(page).getByText(hash(content, algorithm), { exact: true })).toBeVisible();
  }
});
