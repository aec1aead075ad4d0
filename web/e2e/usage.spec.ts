// Issue 6, usage report: card-hours by person and group, by day and month, as CSV; one's own for everybody.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { arrive, expect, open, phone, test } from "./fixtures/test";
import { pretendUsage } from "./fixtures/usage";

const table = (page: Page) => page.getByRole("table", { name: "用量明细" });
const row = (page: Page, words: string) => table(page).getByRole("row").filter({ hasText: words });
const choose = (page: Page, group: string, entry: string) =>
  page.getByRole("radiogroup", { name: group }).getByText(entry, { exact: true }).click();

test("administrators see who used what, go from a person to their days, and take it home as CSV", async ({
  page,
  api,
}) => {
  // The people of the made-up use, by their numbers.
  for (const username of ["zhangmin", "chenyu", "wangfang"]) await api.user({ username });
  const asked = await pretendUsage(page);
  await arrive(page);
  await open(page, "/servers/usage", "用量统计");
  await expect(row(page, "张敏 zhangmin")).toContainText("71.4%");
  await expect(row(page, "liqiang"), "what nobody measured is not idle").toContainText("未测量");
  await expect(page.getByRole("region", { name: "用量合计" })).toContainText("平均利用率 48.3%");
  await expect(page.getByRole("img", { name: /^卡时，.*占用/ })).toBeVisible();
  await choose(page, "时间范围", "上月");
  await expect(page).toHaveURL(/range=last/);
  await choose(page, "统计对象", "按用户组");
  await expect(row(page, "自然语言处理")).toBeVisible();
  await expect(row(page, "未分组")).toBeVisible();
  await choose(page, "统计对象", "按人员");
  await row(page, "王芳").getByRole("link", { name: "王芳 wangfang" }).click();
  await expect(page).toHaveURL(/person=4/);
  await expect(table(page).getByRole("row").nth(2)).toContainText(/\d{4}-\d{2}-\d{2}/);
  await expect(row(page, "张敏")).toHaveCount(0);
  await page.getByRole("button", { name: "占用卡时" }).click();
  await expect.poll(() => asked.at(-1)?.get("sort")).toBe("held");
  expect(Object.fromEntries(asked.at(-1) ?? [])).toMatchObject({ by: "day", person: "4", subject: "person" });

  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "导出 CSV" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^用量统计-\d{8}-\d{4}\.csv$/);
  const text = await readFile(await download.path(), "utf8");
  expect(text.startsWith("\u{feff}日期,用户名,姓名,占用卡时,实际使用卡时,未测量卡时,平均利用率（%）")).toBe(
    true,
  );
});

test("everybody has their own use and no choice of others; before any there is a word about it", async ({
  page,
  api,
}) => {
  await api.user({ username: "zhangmin" });
  await arrive(page, "zhangmin");
  await page.goto("/dashboard");
  await page.getByRole("button", { name: "资源管理" }).click();
  await page.getByRole("link", { name: "用量统计" }).click();
  await expect(page.getByText("这段时间没有用量")).toBeVisible();
  await expect(page.getByRole("radiogroup", { name: "统计方式" })).toBeVisible();
  await expect(page.getByRole("radiogroup", { name: "统计对象" })).toHaveCount(0);
  await expect(page.getByRole("combobox", { name: "人员" })).toHaveCount(0);
});

test("who leads a group chooses among their groups", async ({ page, api }) => {
  const lee = await api.user({ username: "zhangmin" });
  const group = await api.group("计算机视觉", { members: [lee.id] });
  await api.group("自然语言处理");
  await api.setLeader(group.id, lee.id);
  await pretendUsage(page);
  await arrive(page, "zhangmin");
  await open(page, "/servers/usage", "用量统计");
  await expect(row(page, "张敏 zhangmin")).toBeVisible();
  await page.getByRole("combobox", { name: "用户组" }).click();
  const list = page.locator(".ant-select-dropdown").filter({ visible: true });
  await expect(list.getByTitle("计算机视觉")).toBeVisible();
  await expect(list.getByTitle("自然语言处理")).toHaveCount(0);
  await list.getByTitle("计算机视觉").click();
  await expect(page).toHaveURL(new RegExp(`group=${group.id}`));
});

test("use that did not come says why and comes on a second try", async ({ page, faults }) => {
  faults.expectStatus(500);
  let broken = true;
  await pretendUsage(page);
  await page.route(/\/api\/usage\?/, (route) =>
    broken
      ? route.fulfill({
          status: 500,
          json: { code: "internal", message: "数据库没有应答", fields: [], request_id: "r1" },
        })
      : route.fallback(),
  );
  await arrive(page);
  await open(page, "/servers/usage", "用量统计");
  const failure = page.getByRole("alert").filter({ hasText: "数据库没有应答" });
  broken = false;
  await failure.getByRole("button", { name: "重试" }).click();
  await expect(row(page, "王芳")).toBeVisible();
});

test.describe("on a phone", () => {
  test.use(phone);

  test("rows are cards, and nothing is wider than the window", async ({ page }) => {
    await pretendUsage(page);
    await arrive(page);
    await open(page, "/servers/usage?range=custom&from=2026-09-01&to=2026-10-20&by=month", "用量统计");
    const cards = page.getByRole("list", { name: "用量明细" }).getByRole("listitem");
    await expect(cards.filter({ hasText: "王芳" }).first()).toContainText("2026-10");
    await expect(page.getByRole("textbox", { name: "开始日期" })).toHaveValue("2026-09-01");
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
  });
});
