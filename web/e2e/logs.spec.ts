// The logs: who signed in, who changed what; filters in the address, export as CSV.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { arrive, expect, open, pick, test } from "./fixtures/test";

const rows = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

test("S069 sign-ins are logged with result; filters live in the address and survive a reload", async ({
  page,
  api,
}) => {
  await api.user({ username: "zhangmin" });
  await api.status("POST", "/api/auth", { username: "zhangmin", password: "wrong2026" });
  await api.status("POST", "/api/auth", { username: "zhangmin", password: "lab2026a" });
  await arrive(page);
  await open(page, "/logs/login_log", "登录日志");
  await expect(rows(page, "zhangmin")).toHaveCount(2);
  await expect(rows(page, "用户名或密码错误")).toHaveCount(1);
  await page.getByRole("searchbox", { name: "用户名" }).fill("zhangmin");
  await expect(page).toHaveURL(/username=zhangmin/);
  await expect(rows(page, "admin")).toHaveCount(0);
  await pick(page, page.getByRole("combobox", { name: "结果" }), "成功");
  await expect(page).toHaveURL(/result=success/);
  await expect(rows(page, "zhangmin")).toHaveCount(1);
  await page.reload();
  await expect(rows(page, "zhangmin")).toHaveCount(1);
  await expect(page.getByRole("searchbox", { name: "用户名" })).toHaveValue("zhangmin");
  await page.getByRole("button", { name: "清除筛选" }).click();
  await expect(rows(page, "admin").first()).toBeVisible();
});

test("S070 every change is logged, refused ones too, with details", async ({ page, api, apiOf }) => {
  const user = await api.user({ username: "zhangmin", name: "张敏" });
  await api.setActive([user.id], false);
  await api.setActive([user.id], true);
  await api.changeBasic({ productName: "实验室" });
  const theirs = await apiOf("zhangmin");
  expect(await theirs.status("DELETE", `/api/users/${user.id}`)).toBe(403);
  await arrive(page);
  await open(page, "/logs/operate_log", "操作日志");
  for (const action of ["新建用户", "禁用用户", "启用用户", "修改设置"]) {
    await expect(rows(page, action).first()).toContainText("成功");
  }
  await expect(rows(page, "失败")).toContainText("zhangmin");
  await pick(page, page.getByRole("combobox", { name: "操作" }), "新建用户");
  await expect(page).toHaveURL(/action=user.create/);
  await expect(rows(page, "修改设置")).toHaveCount(0);
  await page.getByRole("button", { name: "新建用户的详情" }).click();
  const details = page.getByRole("dialog", { name: "新建用户" });
  await expect(details).toContainText("user.create");
  await expect(details).toContainText("zhangmin");
  await expect(details).not.toContainText("lab2026a");
  await details.getByRole("button", { name: /关闭|Close/ }).click();
  await expect(details).toBeHidden();
});

for (const [address, heading, file] of [
  ["/logs/login_log?username=zhangmin", "登录日志", /^登录日志-\d{8}-\d{4}\.csv$/],
  ["/logs/operate_log?action=user.create", "操作日志", /^操作日志-\d{8}-\d{4}\.csv$/],
] as const) {
  test(`${heading} is exported as CSV with what the filters let through`, async ({ page, api }) => {
    await api.user({ username: "zhangmin" });
    await api.status("POST", "/api/auth", { username: "zhangmin", password: "lab2026a" });
    await arrive(page);
    await open(page, address, heading);
    await expect(page.getByRole("table", { name: heading })).toBeVisible();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "导出 CSV" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(file);
    const text = await readFile(await download.path(), "utf8");
    expect(text.charCodeAt(0)).toBe(0xfeff);
    const lines = text.slice(1).trim().split(/\r?\n/);
    expect(lines.length).toBe(2);
    expect(lines[1]).toContain("zhangmin");
  });
}

test("a log entry's free text is never a formula of a spreadsheet", async ({ page, api }) => {
  await api.status("POST", "/api/auth", { username: "=1+1", password: "lab2026a" });
  await arrive(page);
  await open(page, "/logs/login_log", "登录日志");
  await expect(rows(page, "=1+1")).toBeVisible();
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "导出 CSV" }).click();
  const text = await readFile(await (await downloading).path(), "utf8");
  expect(text).toContain("=1+1");
  expect(text).not.toMatch(/(^|,)"?=1\+1/m);
});
