// 后台任务: what the platform does by itself, running one at once, and a system clock that is not trusted.
import type { Page } from "@playwright/test";
import type { components } from "@/shared/api/portal";
import { arrive, expect, open, phone, test } from "./fixtures/test";

type DutyList = components["schemas"]["DutyList"];
type ClockState = components["schemas"]["ClockState"];

const address = "/settings/duties";
const day = 24 * 3_600_000;

const longError = `${"引擎没有回应，".repeat(12)}已放弃`;

const rowOf = (on: Page, title: string) =>
  on.getByRole("row").filter({ has: on.getByText(title, { exact: true }) });

/** The list is the real one, save that this duty failed for two servers. */
const failFor = (on: Page, name: string, server: string) =>
  on.route("**/api/duties", async (route) => {
    const answer = await route.fetch();
    const list: DutyList = await answer.json();
    for (const { portals } of list.items.filter((duty) => duty.name === name)) {
      for (const at of portals) {
        at.failing = [
          { server, error: "连接被拒绝" },
          { server: "gpu-r03", error: longError },
        ];
      }
    }
    await route.fulfill({ response: answer, json: list });
  });

const jump = (on: Page) =>
  on.route("**/api/clock", (route) => {
    const now = Date.now();
    const time = (millis: number) => new Date(millis).toISOString();
    const json: ClockState = {
      trusted: false,
      now: time(now),
      wall: time(now + 40 * day),
      heldSince: time(now),
      releaseAt: time(now + day),
      witnesses: [{ kind: "steady", name: "", time: time(now), aheadMs: 40 * day, independent: false }],
    };
    return route.fulfill({ json });
  });

test("the administrator sees all duties and has one run at once", async ({ page, api }) => {
  await arrive(page);
  await open(page, "/settings/basic_setting", "基本设置");
  await page.getByRole("navigation", { name: "主菜单" }).getByRole("link", { name: "后台任务" }).click();
  await expect(page).toHaveURL(address);
  await expect(page.getByText("系统时间正常")).toBeVisible();
  const { items } = await api.get<DutyList>("/api/duties");
  for (const { title } of items) await expect(rowOf(page, title)).toBeVisible();

  // Hourly: between two runs of its own there is time to see that this one is ours.
  const row = rowOf(page, "检查新版本");
  await expect(row).toContainText("每小时");
  const last = row.locator("time").first();
  await expect(last).toBeVisible();
  const before = await last.getAttribute("datetime");
  const run = row.getByRole("button", { name: "立即运行 检查新版本" });
  await run.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("已开始运行：检查新版本")).toBeVisible();
  await expect(last).not.toHaveAttribute("datetime", before ?? "");
  await open(page, "/logs/operate_log", "操作日志");
  await expect(page.getByRole("row").filter({ hasText: "运行后台任务" })).toContainText("检查新版本");
});

test("failed duties are found by the filter, with the server and its error", async ({ page }) => {
  await failFor(page, "keep-times", "gpu-r02");
  await arrive(page);
  await open(page, address, "后台任务");
  await page.getByText(/^失败 \d+$/).click();
  await expect(page).toHaveURL(`${address}?state=failed`);
  const row = rowOf(page, "到期停止与释放");
  await expect(row).toContainText("gpu-r02：连接被拒绝");
  // A long error opens, and what is fetched every few seconds does not close it.
  await row.locator("summary").focus();
  await page.keyboard.press("Enter");
  await expect(row.getByText(longError, { exact: true })).toBeVisible();
  await page.waitForResponse("**/api/duties");
  await page.waitForResponse("**/api/duties");
  await expect(row.getByText(longError, { exact: true })).toBeVisible();
  await expect(rowOf(page, "用量统计")).toBeHidden();
  await page.getByRole("button", { name: "清除筛选" }).click();
  await expect(rowOf(page, "用量统计")).toBeVisible();
});

test("a clock that is not trusted is told on every page, and holds what needs it", async ({ page }) => {
  await jump(page);
  await arrive(page);
  await open(page, "/dashboard", "首页");
  const notice = page.getByRole("alert").filter({ hasText: "系统时间异常，比平台时间快 40 天" });
  await notice.getByRole("link", { name: "查看" }).click();
  await expect(page).toHaveURL(address);
  await expect(notice).toBeHidden();
  await expect(page.getByText("系统时间异常：比平台时间快 40 天")).toBeVisible();
  const held = rowOf(page, "到期停止与释放");
  await expect(held).toContainText("已暂停（系统时间异常）");
  await expect(held.getByRole("button", { name: /立即运行/ })).toBeDisabled();
  await expect(rowOf(page, "检查新版本").getByRole("button", { name: /立即运行/ })).toBeEnabled();

  const release = page.getByRole("button", { name: "系统时间是对的，恢复" });
  await release.focus();
  await page.keyboard.press("Enter");
  const question = page.getByRole("dialog", { name: "确认系统时间是对的？" });
  await expect(question).toContainText("已经到期的实例会被停止或释放");
  await page.keyboard.press("Escape");
  await expect(question).toBeHidden();
  await expect(release).toBeFocused();
  await release.click();
  await page.unroute("**/api/clock");
  await question.getByRole("button", { name: "恢复" }).click();
  await expect(page.getByText("系统时间正常")).toBeVisible();
  await expect(held.getByRole("button", { name: /立即运行/ })).toBeEnabled();
});

test("others have neither the page nor the notice", async ({ page, api }) => {
  await api.user({ username: "zhangmin" });
  await arrive(page, "zhangmin");
  await jump(page);
  await open(page, "/dashboard", "首页");
  await expect(page.getByText("系统时间异常")).toHaveCount(0);
  await page.goto(address);
  await expect(page.getByRole("heading", { level: 1, name: "后台任务" })).toHaveCount(0);
});

test("on a phone the duties are cards that run too", async ({ visitor }) => {
  const page = await visitor(phone);
  await arrive(page);
  await open(page, address, "后台任务");
  const card = page
    .getByRole("list", { name: "后台任务" })
    .getByRole("listitem")
    .filter({ hasText: "检查新版本" });
  await card.getByRole("button", { name: "立即运行 检查新版本" }).tap();
  await expect(page.getByText("已开始运行：检查新版本")).toBeVisible();
  const width = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(await width()).toBeLessThanOrEqual(0);
});
