// The recycle bin: deleting goes there, and from there back or away for good.
import type { Page } from "@playwright/test";
import { act, entry, openFolder } from "./fixtures/disk";
import { expect, phone, signIn, test } from "./fixtures/test";

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
  await signIn(page, "zhangmin");
  await openFolder(page, "/home/");
  await remove(page, "a.txt");
  await openBin(page);
  await expect(row(page, "a.txt")).toContainText("/home/");
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
  await signIn(page, "zhangmin");
  await openFolder(page, "/home/");
  for (const name of ["a.txt", "b.txt", "c.txt"]) await remove(page, name);
  await openBin(page);
  await row(page, "a.txt").getByRole("button", { name: "更多操作" }).click();
  await page.getByRole("menuitem", { name: "彻底删除" }).click();
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

test("on a phone the bin is a list of cards", async ({ visitor, disk }) => {
  await disk.upload("/home/a.txt", "first");
  expect(await disk.status("DELETE", "/disk/api/resources/home/a.txt")).toBe(200);
  const page = await visitor(phone);
  await signIn(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.getByRole("button", { name: "展开侧栏" }).tap();
  await openBin(page);
  const card = page.getByRole("listitem").filter({ hasText: "a.txt" });
  await expect(card).toContainText("/home/");
  await card.getByRole("button", { name: "恢复" }).tap();
  await disk.expectNames("/home/", ["a.txt"]);
});
