// The disk on the smallest phone: nothing scrolls sideways, and a finger hits everything.
import { writeFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { act, entry, openFolder, upload } from "./fixtures/disk";
import { csv, log, xlsx, zip } from "./fixtures/lab-files";
import { pdf, png, wav } from "./fixtures/media";
import { settled } from "./fixtures/pages";
import { arrive, expect, phone, test } from "./fixtures/test";

const small = { ...phone, viewport: { width: 360, height: 740 } };

/** Runs in the page: what a finger would miss, of less than 44 px (WCAG 2.5.5). */
function smallTargets(): string[] {
  const visible = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const over = Array.from(document.querySelectorAll("[role=dialog], [role=menu]")).filter(visible);
  const scopes = over.length > 0 ? over : Array.from(document.querySelectorAll("main, aside"));
  const targets = "a[href], button, input, textarea, [role=menuitem], [role=option], [role=switch]";
  const left = ":disabled, [aria-hidden=true], [aria-hidden=true] *, [role=note] *";
  const sizeOf = (element: HTMLElement) => {
    // A label takes the finger for its field; what lies around a bare checkbox is drawn by itself.
    const { width, height } = (
      element.closest("label, .ant-select, .ant-input-affix-wrapper") ?? element
    ).getBoundingClientRect();
    const around = Number.parseFloat(getComputedStyle(element, "::before").inset) || 0;
    return { width: Math.round(width - 2 * around), height: Math.round(height - 2 * around) };
  };
  return scopes
    .flatMap((scope) => Array.from(scope.querySelectorAll<HTMLElement>(targets)))
    .filter((element) => visible(element) && !element.matches(left))
    .map((element) => ({ element, ...sizeOf(element) }))
    .filter(({ width, height }) => width * height > 0 && (width < 44 || height < 44))
    .map(({ element, width, height }) => {
      const name = element.getAttribute("aria-label") ?? element.textContent?.trim() ?? "";
      return `${element.tagName} ${name.slice(0, 40)}: ${width}×${height}`;
    });
}

async function misfits(page: Page): Promise<string[]> {
  await settled(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  const small = await page.evaluate(smallTargets);
  return wide > 0 ? [`${wide} px too wide`, ...small] : small;
}

test("360 px wide: everything is there, nothing too small, nothing sideways", async ({ visitor, disk }) => {
  test.setTimeout(120_000);
  await disk.makeFolder("/home/文件夹");
  await disk.upload(`/home/${"很长的名称".repeat(14)}.txt`, "x");
  await disk.upload("/home/a.png", png(400, 300, [200, 40, 40]));
  await disk.upload("/home/b.pdf", pdf(["First page"]));
  await disk.upload("/home/c.wav", wav(1));
  await disk.upload("/home/d.txt", "text");
  await disk.upload("/home/e.tar.gz", "no archive");
  await disk.upload("/home/f.csv", csv(50));
  await disk.upload("/home/g.log", log(50));
  await disk.upload("/home/h.zip", zip());
  await disk.upload("/home/i.xlsx", xlsx());
  const page = await visitor(small);
  await arrive(page, "zhangmin");
  const check = (name: string) =>
    test.step(name, async () => expect.soft(await misfits(page), name).toEqual([]));
  const close = async () => {
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  };

  await openFolder(page, "/home/");
  await expect(entry(page, "d.txt")).toBeVisible();
  await check("list");
  await page.getByRole("button", { name: "上传或新建" }).tap();
  await expect(page.getByRole("menuitem", { name: "上传" })).toBeVisible();
  await check("new");
  for (const [action, title] of [
    ["上传", /^上传到/],
    ["新建文件夹", "新建文件夹"],
    ["新建文件", "新建文件"],
  ] as const) {
    if (!(await page.getByRole("menuitem", { name: action, exact: true }).isVisible()))
      await page.getByRole("button", { name: "上传或新建" }).tap();
    await page.getByRole("menuitem", { name: action, exact: true }).tap();
    await expect(page.getByRole("dialog", { name: title })).toBeVisible();
    await check(action);
    await close();
  }

  await entry(page, "d.txt").getByRole("checkbox").tap();
  await check("selected");
  await page.getByRole("button", { name: "所选项 的更多操作" }).tap();
  for (const name of ["重命名", "压缩", "信息"])
    await expect(page.getByRole("menuitem", { name })).toBeVisible();
  await check("more of the selection");
  await page.keyboard.press("Escape");
  for (const [name, action] of [
    ["d.txt", "重命名"],
    ["d.txt", "复制到"],
    ["d.txt", "移动到"],
    ["d.txt", "压缩"],
    ["d.txt", "信息"],
    ["d.txt", "删除"],
    ["文件夹", "下载"],
  ] as const) {
    await act(page, name, action);
    await expect(page.getByRole("dialog")).toBeVisible();
    await check(action);
    await close();
  }

  const changed = test.info().outputPath("d.txt");
  await writeFile(changed, "changed");
  await upload(page, "文件", changed);
  await expect(page.getByRole("dialog", { name: "替换 d.txt？" })).toBeVisible();
  await check("replace");
  await close();

  for (const name of ["a.png", "b.pdf", "c.wav", "d.txt", "e.tar.gz", "f.csv", "g.log", "h.zip", "i.xlsx"]) {
    await page.goto(`/netdisk/files/home/${name}`);
    await expect(page.getByRole("heading", { level: 2, name })).toBeVisible();
    await check(name);
  }

  await openFolder(page, "/home/");
  await page.getByRole("button", { name: "平铺" }).tap();
  await expect(page.getByText("文件夹 1", { exact: true })).toBeVisible();
  await check("mosaic");
  await page.getByRole("button", { name: "搜索", exact: true }).tap();
  await page.getByRole("textbox", { name: "搜索文件" }).fill("txt");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("link", { name: /d\.txt/ })).toBeVisible();
  await check("search");

  expect(await disk.status("DELETE", "/disk/api/resources/home/e.tar.gz")).toBe(200);
  await page.goto("/netdisk/files/?place=trash");
  await expect(page.getByText("e.tar.gz")).toBeVisible();
  await check("recycle bin");
  await page.getByRole("button", { name: "清空" }).tap();
  await expect(page.getByRole("dialog", { name: "清空回收站？" })).toBeVisible();
  await check("empty the recycle bin");
  await close();
  await page.getByRole("button", { name: "展开侧栏" }).tap();
  await expect(page.getByRole("link", { name: "网盘设置" })).toBeVisible();
  await check("sidebar");

  for (const part of ["个人设置", "分享管理"]) {
    await page.goto("/settings/netdisk_settings");
    await page.getByRole("link", { name: part }).tap();
    await settled(page);
    await check(part);
  }
  await disk.post("/disk/api/share/home/d.txt", {});
  await page.reload();
  await expect(page.getByText("d.txt")).toBeVisible();
  await check("a share");
});
