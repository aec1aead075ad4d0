// The recycle bin: deleting goes there, and from there back or away for good.
import type { Page } from "@playwright/test";
import { act, entry, openFolder } from "./fixtures/disk";
import { chooseEntry } from "./fixtures/menu";
import { arrive, expect, phone, test } from "./fixtures/test";

const table = (page: Page) => page.getByRole("table", { name: "回收站" });
const row = (page: Page, name: string) => table(page).getByRole("row").filter({ hasText: name });

async function remove(page: Page, name: string) {
  await act(page, name, "删除");
  await page
    .getByRole("dialog", { name: `删除 ${name}？` })
    .getByRole("button", { name: "删除" })
    .click();
  await expect(entry(page, name)).toHaveCount(0);
}

const openBin = (page: Page) => page.getByRole("link", { name: "回收站" }).click();

test("what was deleted is brought back, beside what has its name now", async ({ page, disk, faults }) => {
  faults.expectStatus(409);
  await disk.upload("/home/a.txt", "first");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await remove(page, "a.txt");
  await openBin(page);
  await expect(row(page, "a.txt")).toContainText("/home/");
  // As long as it is, not as many blocks as it takes.
  await expect(row(page, "a.txt")).toContainText("5.00 B");
  await row(page, "a.txt").getByRole("button", { name: "恢复" }).click();
  await expect(page.getByText("已恢复 1 项")).toBeVisible();
  await expect(page.getByText("回收站是空的")).toBeVisible();
  expect((await disk.download("/home/a.txt")).toString()).toBe("first");

  await openFolder(page, "/home/");
  await remove(page, "a.txt");
  await disk.upload("/home/a.txt", "second");
  await openBin(page);
  await row(page, "a.txt").getByRole("button", { name: "恢复" }).click();
  await expect(page.getByText("恢复为 a(1).txt")).toBeVisible();
  await disk.expectNames("/home/", ["a.txt", "a(1).txt"]);
});

test("purging and emptying ask first, and then it is gone", async ({ page, disk }) => {
  for (const name of ["a.txt", "b.txt", "c.txt"]) await disk.upload(`/home/${name}`, name);
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  for (const name of ["a.txt", "b.txt", "c.txt"]) await remove(page, name);
  await openBin(page);
  await row(page, "a.txt").getByRole("button", { name: "更多操作" }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "彻底删除" }));
  const one = page.getByRole("dialog", { name: "彻底删除 a.txt？" });
  await one.getByRole("button", { name: "取消" }).click();
  await expect(row(page, "a.txt")).toBeVisible();
  await table(page).getByRole("checkbox", { name: "选择 a.txt" }).check();
  await page.getByRole("button", { name: "彻底删除" }).first().click();
  await one.getByRole("button", { name: "彻底删除" }).click();
  await expect(row(page, "a.txt")).toHaveCount(0);

  await page.getByRole("button", { name: "清空" }).click();
  await page.getByRole("dialog", { name: "清空回收站？" }).getByRole("button", { name: "清空" }).click();
  await expect(page.getByText("回收站是空的")).toBeVisible();
  await disk.expectNames("/home/", []);
});

test("emptying leaves what others have deleted, and says so", async ({ page, disk, api }) => {
  await disk.upload("/home/theirs.txt", "x");
  expect(await disk.status("DELETE", "/disk/api/resources/home/theirs.txt")).toBe(200);
  await arrive(page);
  await openFolder(page, "/share/");
  await openBin(page);
  const empty = async () => {
    await page.getByRole("button", { name: "清空" }).click();
    await page.getByRole("dialog", { name: "清空回收站？" }).getByRole("button", { name: "清空" }).click();
  };
  await expect(row(page, "theirs.txt")).toBeVisible();
  await empty();
  await expect(page.getByText("回收站里没有你删除的东西，别人的没有动")).toBeVisible();
  expect(await api.status("POST", "/disk/api/resources/share/own.txt", "x")).toBe(200);
  expect(await api.status("DELETE", "/disk/api/resources/share/own.txt")).toBe(200);
  await page.reload();
  await expect(row(page, "own.txt")).toBeVisible();
  await empty();
  await expect(page.getByText("已清空你删除的，别人删除的 1 项还在")).toBeVisible();
  await expect(row(page, "own.txt")).toHaveCount(0);
  await expect(row(page, "theirs.txt")).toBeVisible();
  const path = page.getByRole("navigation", { name: "路径" });
  await expect(path).toContainText("回收站");
  await path.getByRole("link", { name: "主目录" }).click();
  await expect(entry(page, "share")).toBeVisible();
});

test("on a phone the bin is a list of cards", async ({ visitor, disk }) => {
  await disk.upload("/home/a.txt", "first");
  expect(await disk.status("DELETE", "/disk/api/resources/home/a.txt")).toBe(200);
  const page = await visitor(phone);
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.getByRole("button", { name: "展开侧栏" }).tap();
  await openBin(page);
  const card = page.getByRole("listitem").filter({ hasText: "a.txt" });
  await expect(card).toContainText("/home/");
  await card.getByRole("button", { name: "恢复" }).tap();
  await disk.expectNames("/home/", ["a.txt"]);
});

test("Shift+Delete, or a choice in the prompt, deletes for good", async ({ page, disk }) => {
  for (const name of ["a.txt", "b.txt", "c.txt"]) await disk.upload(`/home/${name}`, name);
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await entry(page, "a.txt").click();
  await page.keyboard.press("Shift+Delete");
  const final = page.getByRole("dialog", { name: "彻底删除 a.txt？" });
  await expect(final).toContainText("立即清除，不能恢复。");
  await page.keyboard.press("Enter");
  await expect(page.getByText("已彻底删除 1 项")).toBeVisible();

  await act(page, "b.txt", "删除");
  const prompt = page.getByRole("dialog", { name: "删除 b.txt？" });
  await expect(prompt).toContainText("先放进回收站，30 天内可以恢复");
  await prompt.getByRole("checkbox", { name: "彻底删除，不放进回收站" }).check();
  await expect(prompt).toContainText("不能恢复");
  await prompt.getByRole("button", { name: "彻底删除" }).click();
  await disk.expectNames("/home/", ["c.txt"]);

  await remove(page, "c.txt");
  await openBin(page);
  await expect(row(page, "c.txt")).toBeVisible();
  for (const name of ["a.txt", "b.txt"]) await expect(row(page, name)).toHaveCount(0);
});

test("where the bin is switched off, the prompt says that deleting is final", async ({ page, api, disk }) => {
  await api.changeDisk({ trashDays: 0 });
  await disk.upload("/home/a.txt", "a");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await entry(page, "a.txt").click();
  await page.keyboard.press("Delete");
  const prompt = page.getByRole("dialog", { name: "彻底删除 a.txt？" });
  await expect(prompt).toContainText("回收站已关闭：删除后立即清除，不能恢复。");
  await expect(prompt.getByRole("checkbox")).toHaveCount(0);
  await prompt.getByRole("button", { name: "取消" }).click();
  await disk.expectNames("/home/", ["a.txt"]);
  await page.keyboard.press("Delete");
  await prompt.getByRole("button", { name: "彻底删除" }).click();
  await disk.expectNames("/home/", []);
});

test("who may not make files can look into the bin, but bring nothing back", async ({ page, api, disk }) => {
  await disk.upload("/home/a.txt", "a");
  expect(await disk.status("DELETE", "/disk/api/resources/home/a.txt")).toBe(200);
  const me = await api.userNamed("zhangmin");
  await api.changeDiskUser(me?.id ?? 0, { perm: { create: false } });
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await openBin(page);
  await expect(row(page, "a.txt").getByRole("button", { name: "恢复" })).toBeDisabled();
  await expect(row(page, "a.txt").getByRole("button", { name: "恢复" })).toHaveAttribute(
    "title",
    "没有新建和上传的权限",
  );
});
