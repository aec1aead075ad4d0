// Copying and moving: by prompt, by keys and by dragging, and what happens where a name is taken.
import type { Page } from "@playwright/test";
import { act, enterFolder, entry, openFolder, shownNames } from "./fixtures/disk";
import { arrive, expect, test } from "./fixtures/test";

const question = (page: Page, name: string) => page.getByRole("dialog", { name: `覆盖 ${name}，还是改名？` });
const bar = (page: Page) => page.getByRole("region", { name: "所选项操作" });

test("S144 S300 copies to a folder chosen by keyboard; Enter confirms", async ({ page, disk }) => {
  await disk.upload("/home/a.txt", "a");
  await disk.makeFolder("/home/backup/2026");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await entry(page, "a.txt").click();
  await bar(page).getByRole("button", { name: "复制" }).click();
  const prompt = page.getByRole("dialog", { name: "复制 a.txt" });
  await expect(prompt.getByRole("listbox", { name: "目标文件夹" })).toBeFocused();
  await expect(prompt.getByRole("option", { name: "backup" })).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(prompt.getByRole("option", { name: "backup" })).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowRight");
  await expect(prompt.getByRole("option", { name: "2026" })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByText("已复制 1 项")).toBeVisible();
  await disk.expectNames("/home/backup/", ["2026", "a.txt"]);
  await disk.expectNames("/home/", ["a.txt", "backup"]);
});

test("S278 moving to where it lies already is closed; Escape closes the prompt", async ({ page, disk }) => {
  await disk.upload("/home/a.txt", "a");
  await disk.makeFolder("/home/b");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await act(page, "a.txt", "移动到");
  const prompt = page.getByRole("dialog", { name: "移动 a.txt" });
  await expect(prompt.getByRole("button", { name: "移动", exact: true })).toBeDisabled();
  await page.keyboard.press("Escape");
  await expect(prompt).toBeHidden();
  await act(page, "a.txt", "移动到");
  await prompt.getByRole("option", { name: "b", exact: true }).click();
  await prompt.getByRole("button", { name: "移动", exact: true }).click();
  await expect(page.getByText("已移动 1 项")).toBeVisible();
  await disk.expectNames("/home/", ["b"]);
  await disk.expectNames("/home/b/", ["a.txt"]);
});

test("S232 S233 S234 a taken name is overwritten, renamed, or left as it is", async ({
  page,
  disk,
  faults,
}) => {
  faults.expectStatus(409);
  for (const name of ["a", "b", "c"]) {
    await disk.upload(`/home/${name}.txt`, `new ${name}`);
    await disk.makeFolder("/home/d");
    await disk.upload(`/home/d/${name}.txt`, "old");
  }
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  for (const name of ["a", "b", "c"])
    await entry(page, `${name}.txt`).click({ modifiers: ["ControlOrMeta"] });
  await page.keyboard.press("Control+c");
  await enterFolder(page, "d");
  await expect(entry(page, "a.txt")).toBeVisible();
  await page.keyboard.press("Control+v");
  await expect(question(page, "a.txt")).toBeVisible();
  await expect(question(page, "a.txt").getByRole("button", { name: "覆盖" })).toBeFocused();
  await page.keyboard.press("Enter");
  await question(page, "b.txt").getByRole("button", { name: "改名" }).click();
  await question(page, "c.txt").getByRole("button", { name: "取消" }).click();
  await expect(page.getByText("已取消，已复制 2 项")).toBeVisible();
  await disk.expectNames("/home/d/", ["a.txt", "b.txt", "b(1).txt", "c.txt"]);
  expect((await disk.download("/home/d/a.txt")).toString()).toBe("new a");
  expect((await disk.download("/home/d/b.txt")).toString()).toBe("old");
  expect((await disk.download("/home/d/c.txt")).toString()).toBe("old");
});

test("S356 each of what is moved says from where and where to", async ({ page, disk }) => {
  for (const name of ["a.txt", "b#?.txt"]) await disk.upload(`/home/${name}`, name);
  await disk.makeFolder("/home/d");
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "PATCH") return;
    const { pathname, searchParams } = new URL(request.url());
    const from = decodeURIComponent(pathname).replace("/disk/api/resources", "");
    sent.push(`${searchParams.get("action")} ${from} ${searchParams.get("destination")}`);
  });
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await entry(page, "a.txt").click();
  await entry(page, "b#?.txt").click({ modifiers: ["Control"] });
  await page.keyboard.press("Control+x");
  await enterFolder(page, "d");
  await page.keyboard.press("Control+v");
  await expect(page.getByText("已移动 2 项")).toBeVisible();
  expect(sent).toEqual(["rename /home/a.txt /home/d/a.txt", "rename /home/b#?.txt /home/d/b#?.txt"]);
  await disk.expectNames("/home/d/", ["a.txt", "b#?.txt"]);
});

test("S193 S235 S411 pasting beside the original copies under another name; cutting moves once", async ({
  page,
  disk,
}) => {
  await disk.upload("/home/a.txt", "a");
  await disk.makeFolder("/home/d");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await entry(page, "a.txt").click();
  await page.keyboard.press("Control+c");
  await page.keyboard.press("Control+v");
  await expect.poll(() => shownNames(page)).toEqual(["d", "a(1).txt", "a.txt"]);

  await page.keyboard.press("Control+x");
  await page.keyboard.press("Control+v");
  await expect(page.getByText("已经在这个文件夹里")).toBeVisible();
  await enterFolder(page, "d");
  await expect(page.getByText("这里有点冷清")).toBeVisible();
  await page.getByRole("button", { name: "粘贴 1 项" }).click();
  await expect(entry(page, "a.txt")).toBeVisible();
  await expect(page.getByRole("button", { name: /^粘贴/ })).toHaveCount(0);
  await disk.expectNames("/home/", ["d", "a(1).txt"]);
});

test("S236 S237 dragging moves onto folders only, the selection together", async ({ page, disk }) => {
  for (const name of ["a.txt", "b.txt", "c.txt"]) await disk.upload(`/home/${name}`, name);
  await disk.makeFolder("/home/d");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await entry(page, "a.txt").dragTo(entry(page, "b.txt"));
  await entry(page, "d").dragTo(entry(page, "d"));
  await disk.expectNames("/home/", ["a.txt", "b.txt", "c.txt", "d"]);

  await entry(page, "a.txt").click();
  await entry(page, "b.txt").click({ modifiers: ["ControlOrMeta"] });
  await entry(page, "a.txt").dragTo(entry(page, "d"));
  await expect(page.getByText("已移动 2 项")).toBeVisible();
  await disk.expectNames("/home/d/", ["a.txt", "b.txt"]);

  await enterFolder(page, "d");
  await entry(page, "a.txt").dragTo(
    page.getByRole("navigation", { name: "路径" }).getByRole("link", { name: "我的文件" }),
  );
  await disk.expectNames("/home/", ["a.txt", "c.txt", "d"]);
});

test("S232 S234 S236 dragged onto a folder that has the name: overwritten, renamed, or left", async ({
  page,
  disk,
  faults,
}) => {
  faults.expectStatus(409);
  for (const name of ["a.txt", "b.txt", "c.txt"]) {
    await disk.upload(`/home/${name}`, "new");
    await disk.makeFolder("/home/d");
    await disk.upload(`/home/d/${name}`, "old");
  }
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  for (const [name, answer] of [
    ["a.txt", "覆盖"],
    ["b.txt", "改名"],
    ["c.txt", "取消"],
  ] as const) {
    await entry(page, name).dragTo(entry(page, "d"));
    await question(page, name).getByRole("button", { name: answer }).click();
    await expect(question(page, name)).toBeHidden();
    // What went closes the gap, and the next one is taken hold of where it is then.
    await expect(entry(page, name)).toHaveCount(answer === "取消" ? 1 : 0);
  }
  await disk.expectNames("/home/", ["c.txt", "d"]);
  await disk.expectNames("/home/d/", ["a.txt", "b.txt", "b(1).txt", "c.txt"]);
  expect((await disk.download("/home/d/a.txt")).toString()).toBe("new");
  expect((await disk.download("/home/d/c.txt")).toString()).toBe("old");
});

test("S139 S140 S141 S406 F1 helps, a new file opens in the editor, information is told", async ({
  page,
  disk,
}) => {
  await disk.upload("/home/data.bin", Buffer.alloc(2048));
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.keyboard.press("F1");
  const help = page.getByRole("dialog", { name: "网盘的按键" });
  await expect(help).toContainText("F2");
  await page.keyboard.press("Escape");
  await expect(help).toBeHidden();

  await page
    .getByRole("region", { name: "文件夹操作" })
    .getByRole("button", { name: "新建文件", exact: true })
    .click();
  await page.keyboard.type("  notes.md ");
  await page.keyboard.press("Enter");
  await expect(entry(page, "notes.md")).toHaveAttribute("aria-selected", "true");
  await disk.expectNames("/home/", ["data.bin", "notes.md"]);

  await act(page, "data.bin", "信息");
  const facts = page.getByRole("dialog", { name: "信息" });
  await expect(facts).toContainText("2.00 KB（2,048 字节）");
  await expect(facts).toContainText("/home/data.bin");
});

test("F1 helps in a file, in the editor and in the recycle bin too", async ({ page, disk }) => {
  await disk.upload("/home/data.bin", Buffer.alloc(16));
  await disk.upload("/home/notes.md", "text");
  await arrive(page, "zhangmin");
  const help = page.getByRole("dialog", { name: "网盘的按键" });
  for (const [address, there] of [
    ["files/home/data.bin", page.getByText("该类型暂不支持在线预览")],
    ["files/home/notes.md?view=source", page.getByRole("textbox", { name: "notes.md 的内容" })],
    ["files/?place=trash", page.getByText("回收站是空的")],
  ] as const) {
    await page.goto(`/netdisk/${address}`);
    await expect(there).toBeVisible();
    await page.keyboard.press("F1");
    await expect(help).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(help).toBeHidden();
    await expect(there).toBeVisible();
  }
});

test("what was cut and could not be moved can be pasted again, but not what is nowhere any more", async ({
  page,
  disk,
  faults,
}) => {
  faults.expectStatus(404, 409);
  for (const name of ["a.txt", "b.txt", "c.txt"]) await disk.upload(`/home/${name}`, name);
  await disk.makeFolder("/home/d");
  await disk.upload("/home/d/c.txt", "there");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await entry(page, "a.txt").click();
  for (const name of ["b.txt", "c.txt"]) await entry(page, name).click({ modifiers: ["Control"] });
  await page.keyboard.press("Control+x");
  expect(await disk.status("DELETE", "/disk/api/resources/home/b.txt?permanent=true")).toBe(200);
  await enterFolder(page, "d");
  await page.keyboard.press("Control+v");
  await page
    .getByRole("dialog", { name: "覆盖 c.txt，还是改名？" })
    .getByRole("button", { name: "取消" })
    .click();
  await expect(page.getByText("移动失败：b.txt：已不在原来的位置，已从剪贴板移除")).toBeVisible();
  await expect(entry(page, "a.txt")).toBeVisible();
  await expect(page.getByRole("button", { name: "粘贴 1 项" })).toBeVisible();
  // What was copied stays for the next time, but for what has vanished.
  await openFolder(page, "/home/");
  for (const name of ["x.txt", "y.txt"]) await disk.upload(`/home/${name}`, name);
  await page.getByRole("button", { name: "刷新" }).click();
  await entry(page, "x.txt").click();
  await entry(page, "y.txt").click({ modifiers: ["Control"] });
  await page.keyboard.press("Control+c");
  expect(await disk.status("DELETE", "/disk/api/resources/home/y.txt?permanent=true")).toBe(200);
  await enterFolder(page, "d");
  await page.keyboard.press("Control+v");
  await expect(page.getByText("复制失败：y.txt：已不在原来的位置，已从剪贴板移除")).toBeVisible();
  await expect(entry(page, "x.txt")).toBeVisible();
  await expect(page.getByRole("button", { name: "粘贴 1 项" })).toBeVisible();
});

test("S213 S218 in multiple selection every click adds, until another folder is opened", async ({
  page,
  disk,
}) => {
  for (const name of ["a.txt", "b.txt"]) await disk.upload(`/home/${name}`, name);
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.getByRole("button", { name: "多选" }).click();
  await entry(page, "a.txt").click();
  await entry(page, "b.txt").click();
  await expect(bar(page)).toContainText("已选 2 项");
  await entry(page, "a.txt").click();
  await expect(bar(page)).toContainText("已选 1 项");
  await page.getByRole("navigation", { name: "路径" }).getByRole("link", { name: "主目录" }).click();
  await expect(entry(page, "share")).toBeVisible();
  await expect(bar(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "多选" })).toHaveAttribute("aria-pressed", "false");
});
