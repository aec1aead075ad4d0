// Reading and changing text files: saving, conflicts, encodings, leaving with something unsaved.
import type { Page } from "@playwright/test";
import { entry, openFolder } from "./fixtures/disk";
import { chooseEntry } from "./fixtures/menu";
import { arrive, expect, test } from "./fixtures/test";

const text = (page: Page, name: string) => page.getByRole("textbox", { name: `${name} 的内容` });
const save = (page: Page) => page.getByRole("button", { name: "保存", exact: true });

/** 中文内容 as GBK. */
const gbk = Buffer.from([0xd6, 0xd0, 0xce, 0xc4, 0xc4, 0xda, 0xc8, 0xdd]);

test("S003 S135 a text file opens in the editor, is changed and saved by key and by button", async ({
  page,
  disk,
}) => {
  await disk.upload("/home/run.py", "print('old')\r\n# end\r\n");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await entry(page, "run.py").dblclick();
  await expect(text(page, "run.py")).toContainText("print('old')");
  await expect(text(page, "run.py")).toBeFocused();
  await expect(save(page)).toBeDisabled();
  await page.keyboard.type("# new ");
  await expect(page.getByText("有未保存的修改")).toBeVisible();
  await page.keyboard.press("Control+s");
  await expect(page.getByText("已保存")).toBeVisible();
  // The ends of its lines are as they were.
  expect((await disk.download("/home/run.py")).toString()).toBe("# new print('old')\r\n# end\r\n");

  await page.keyboard.press("Control+End");
  await page.keyboard.type("# last");
  await save(page).click();
  await expect(save(page)).toBeDisabled();
  await expect
    .poll(async () => (await disk.download("/home/run.py")).toString())
    .toBe("# new print('old')\r\n# end\r\n# last");
});

test("what somebody else has saved meanwhile is not overwritten unasked", async ({ page, disk, faults }) => {
  faults.expectStatus(412);
  await disk.upload("/home/notes.md", "first");
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/notes.md?view=source");
  await expect(text(page, "notes.md")).toContainText("first");
  await disk.upload("/home/notes.md", "theirs", { override: true });
  await text(page, "notes.md").press("Control+Home");
  await page.keyboard.type("mine ");
  await page.keyboard.press("Control+s");
  const question = page.getByRole("dialog", { name: "notes.md 已被别人修改" });
  await expect(question).toBeVisible();
  expect((await disk.download("/home/notes.md")).toString()).toBe("theirs");

  await page.keyboard.press("Escape");
  await expect(question).toBeHidden();
  await expect(text(page, "notes.md")).toContainText("mine first");
  await save(page).click();
  await question.getByRole("button", { name: "放弃我的修改，重新载入" }).click();
  await expect(text(page, "notes.md")).toHaveText("theirs");
  await text(page, "notes.md").press("Control+Home");
  await page.keyboard.type("both and ");
  await page.keyboard.press("Control+s");
  await expect(page.getByText("已保存")).toBeVisible();
  expect((await disk.download("/home/notes.md")).toString()).toBe("both and theirs");
});

test("what was typed can be saved though somebody else has deleted the file", async ({
  page,
  disk,
  faults,
}) => {
  faults.expectStatus(404);
  await disk.upload("/home/a.txt", "old");
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/a.txt");
  await text(page, "a.txt").press("Control+Home");
  await page.keyboard.type("new ");
  expect(await disk.status("DELETE", "/disk/api/resources/home/a.txt?permanent=true")).toBe(200);
  await page.keyboard.press("Control+s");
  const question = page.getByRole("dialog", { name: "a.txt 已不在这里" });
  await question.getByRole("button", { name: "新建并保存" }).click();
  await expect(page.getByText("已保存")).toBeVisible();
  await expect(question).toHaveCount(0);
  expect((await disk.download("/home/a.txt")).toString()).toBe("new old");
});

test("read again as another encoding, a file shows what was saved last", async ({ page, disk }) => {
  await disk.upload("/home/a.txt", "old");
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/a.txt");
  await text(page, "a.txt").press("Control+Home");
  await page.keyboard.type("new ");
  await page.keyboard.press("Control+s");
  await expect(page.getByText("已保存")).toBeVisible();

  await page.getByRole("button", { name: "编码 UTF-8" }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "重新读作 GBK", exact: true }));
  await expect(page.getByRole("button", { name: "编码 GBK" })).toBeVisible();
  await expect(text(page, "a.txt")).toHaveText("new old");
});

test("GBK is read and written as GBK, and can become UTF-8", async ({ page, disk }) => {
  await disk.upload("/home/旧文件.txt", gbk);
  await arrive(page, "zhangmin");
  await page.goto(`/netdisk/files/home/${encodeURIComponent("旧文件.txt")}`);
  await expect(text(page, "旧文件.txt")).toHaveText("中文内容");
  await expect(page.getByRole("button", { name: "编码 GBK" })).toBeVisible();
  await text(page, "旧文件.txt").press("Control+End");
  await page.keyboard.type("ab");
  await page.keyboard.press("Control+s");
  await expect(page.getByText("已保存")).toBeVisible();
  expect(await disk.download("/home/旧文件.txt")).toEqual(Buffer.concat([gbk, Buffer.from("ab")]));

  await page.getByRole("button", { name: "编码 GBK" }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "保存为 UTF-8", exact: true }));
  await page.getByRole("button", { name: "保存", exact: true }).click();
  await expect
    .poll(async () => (await disk.download("/home/旧文件.txt")).toString("utf8"))
    .toBe("中文内容ab");
});

test("bytes that are no text are not lost by saving", async ({ page, disk }) => {
  await disk.upload("/home/latin.txt", Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/latin.txt");
  await expect(page.getByText("只读：有些字节不是 GBK")).toBeVisible();
  await page.getByRole("button", { name: "编码 GBK" }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "重新读作 Latin-1", exact: true }));
  await expect(text(page, "latin.txt")).toContainText("café");
  await text(page, "latin.txt").press("Control+Home");
  await page.keyboard.type("a ");
  await page.keyboard.press("Control+s");
  await expect(page.getByText("已保存")).toBeVisible();
  expect(await disk.download("/home/latin.txt")).toEqual(
    Buffer.from([0x61, 0x20, 0x63, 0x61, 0x66, 0xe9, 0x0a]),
  );
});

test("lines end as they did, each in its own way", async ({ page, disk }) => {
  await disk.upload("/home/mixed.txt", "one\r\ntwo\nthree\rfour\r\nend");
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/mixed.txt");
  await text(page, "mixed.txt").press("Control+Home");
  await page.keyboard.type("x");
  await page.keyboard.press("Enter");
  // Joined and parted again.
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Home");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+s");
  await expect(page.getByText("已保存")).toBeVisible();
  expect((await disk.download("/home/mixed.txt")).toString()).toBe("x\r\none\r\ntwo\nthree\rfour\r\nend");
});

test("who may not download is told that this is why nothing is shown", async ({
  page,
  api,
  disk,
  faults,
}) => {
  // Content may be asked for before the disk has said what somebody may.
  faults.expectStatus(403);
  await disk.upload("/home/a.txt", "text");
  await disk.upload("/home/a.png", "picture");
  const me = await api.userNamed("zhangmin");
  await api.changeDiskUser(me?.id ?? 0, { perm: { download: false } });
  await arrive(page, "zhangmin");
  for (const name of ["a.txt", "a.png"]) {
    await page.goto(`/netdisk/files/home/${name}`);
    await expect(page.getByText("没有下载的权限，看不了文件的内容")).toBeVisible();
    await expect(page.getByText("请联系管理员开通")).toBeVisible();
    await expect(page.getByRole("button", { name: "下载" })).toHaveAccessibleDescription("没有下载的权限");
  }
});

test("leaving with something unsaved asks first", async ({ page, disk }) => {
  await disk.upload("/home/a.txt", "text");
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/a.txt");
  await expect(text(page, "a.txt")).toBeFocused();
  await page.keyboard.type("x");
  await page.getByRole("button", { name: "返回文件夹" }).click();
  const question = page.getByRole("dialog", { name: "放弃未保存的修改？" });
  await question.getByRole("button", { name: "留在这里" }).click();
  await expect(text(page, "a.txt")).toHaveText("xtext");
  await page.getByRole("button", { name: "返回文件夹" }).click();
  await question.getByRole("button", { name: "放弃" }).click();
  await expect(entry(page, "a.txt")).toBeVisible();
});

test("what has changes that are not saved is neither renamed nor deleted", async ({ page, disk }) => {
  await disk.upload("/home/a.txt", "text");
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/a.txt");
  const bar = page.getByRole("region", { name: "文件操作" });
  await expect(bar.getByRole("button", { name: "重命名" })).toBeEnabled();
  await text(page, "a.txt").press("Control+Home");
  await page.keyboard.type("new ");
  for (const name of ["重命名", "删除"]) {
    await expect(bar.getByRole("button", { name })).toBeDisabled();
    await expect(bar.getByRole("button", { name })).toHaveAccessibleDescription("先保存修改");
  }
  await page.keyboard.press("Control+s");
  await bar.getByRole("button", { name: "重命名" }).click();
  await page.getByRole("textbox", { name: "新名称" }).fill("b.txt");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/b\.txt$/);
  await expect(text(page, "b.txt")).toHaveText("new text");
});

test("what may not be changed is read only", async ({ page, api, disk }) => {
  const { id }: { id: string } = await api.post("/api/datasets", {
    name: "coco",
    type: "image",
    visibility: "public",
  });
  await api.until(`/api/datasets/${id}`, ({ state }: { state: string }) => state === "ready");
  await api.upload("/datasets/coco/README.md", "# COCO");
  expect(disk).toBeTruthy();
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/datasets/coco/README.md?view=source");
  await expect(text(page, "README.md")).toContainText("COCO");
  await expect(page.getByText("只读：")).toBeVisible();
  await expect(save(page)).toHaveCount(0);
});
