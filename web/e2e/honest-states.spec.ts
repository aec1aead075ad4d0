// What pages say when the portal, the network or a file of theirs is not there, and how they come back by themselves.
import type { Page } from "@playwright/test";
import { adminPassword } from "./fixtures/server";
import { enter, expect, fillLogin, phone, test } from "./fixtures/test";

const loginLog = "**/assets/LoginLogPage-*.js";
const networkFaults = /net::ERR_|WebSocket|页面没有显示出来|Failed to (fetch|load)|没有应答/;

async function goToLoginLog(page: Page) {
  await page.getByRole("button", { name: "日志", exact: true }).press("Enter");
  await page.getByRole("link", { name: "登录日志", exact: true }).first().press("Enter");
}

const shown = (page: Page) => expect(page.getByRole("table", { name: "登录日志" })).toBeVisible();
const tags = (page: Page) => page.getByRole("navigation", { name: "打开的页面" });

/** As after an update: the entry has another name, and what the old one wants is gone. */
async function update(page: Page) {
  await page.route(loginLog, (route) => route.fulfill({ status: 404, body: "404 Not Found\n" }));
  await page.route(
    (url) => url.pathname === "/",
    (route) => route.fulfill({ contentType: "text/html", body: '<script src="/assets/other.js"></script>' }),
  );
}

test("U1 after an update an open page loads itself anew, once, and keeps its tags", async ({
  page,
  faults,
}) => {
  faults.expectStatus(404);
  faults.expect(networkFaults);
  await enter(page);
  await page.getByRole("button", { name: "用户", exact: true }).press("Enter");
  await page.getByRole("link", { name: "用户列表", exact: true }).press("Enter");
  await expect(page.getByRole("table", { name: "用户列表" })).toBeVisible();
  await update(page);
  const loaded = page.waitForEvent("load");
  await goToLoginLog(page);
  await expect(page.getByText("已更新，正在刷新")).toBeVisible();
  await page.unroute(loginLog);
  await loaded;
  await shown(page);
  await expect(page).toHaveURL("/logs/login_log");
  await expect(tags(page).getByRole("link", { name: "用户列表" })).toBeVisible();
});

test("U1 a page whose files never come is not loaded over and over, and 重试 loads it", async ({
  page,
  faults,
}) => {
  faults.expectStatus(404);
  faults.expect(networkFaults);
  await enter(page);
  await page.route(loginLog, (route) => route.fulfill({ status: 404, body: "404 Not Found\n" }));
  await goToLoginLog(page);
  await expect(page.getByText("页面文件加载失败")).toBeVisible();
  await page.unroute(loginLog);
  await page.getByRole("button", { name: "重试" }).press("Enter");
  await shown(page);
});

test("U1 a page that was opened offline opens by itself when the network is back", async ({
  page,
  context,
  faults,
}) => {
  faults.expect(networkFaults);
  await enter(page);
  await context.setOffline(true);
  await goToLoginLog(page);
  await expect(page.getByText("离线，页面文件加载失败")).toBeVisible();
  await context.setOffline(false);
  await shown(page);
});

for (const { name, options } of [
  { name: "1440", options: {} },
  { name: "390", options: phone },
]) {
  test(`U14 at ${name} px a page says that it is offline and how old it is, and that changes were not sent`, async ({
    visitor,
    faults,
  }) => {
    faults.expect(networkFaults);
    const page = await visitor(options);
    await enter(page);
    const line = page.getByRole("status").filter({ hasText: "网络已断开" });
    await expect(line).toHaveCount(0);
    await page.getByRole("button", { name: "发公告" }).press("Enter");
    const drawer = page.getByRole("dialog", { name: "发公告" });
    await drawer.getByLabel("标题").fill("周六停电");
    await page.context().setOffline(true);
    await expect(line).toBeVisible();
    await expect(line.locator("..").getByText(/^\d+ 秒前更新$/)).toBeVisible();
    await drawer.getByRole("button", { name: "发布" }).press("Enter");
    await expect(drawer.getByText("已离线，操作没有提交，恢复连接后请再试一次")).toBeVisible({
      timeout: 6_000,
    });
    await page.context().setOffline(false);
    await expect(line).toHaveCount(0);
    await drawer.getByRole("button", { name: "发布" }).press("Enter");
    await expect(drawer).toBeHidden();
    await expect(page.getByText("周六停电")).toBeVisible();
  });
}

test("U14 a page says that the portal is away, and asks anew when it is back", async ({
  page,
  server,
  faults,
}) => {
  faults.expect(networkFaults);
  await enter(page);
  await server.kill();
  await page.getByRole("button", { name: /^通知/ }).press("Enter");
  // A browser without a network of its own takes itself for offline.
  const line = page.getByRole("status").filter({ hasText: /^(正在重连|离线)/ });
  await expect(line).toBeVisible();
  await server.startAgain();
  await page.getByRole("button", { name: "立即重试" }).press("Enter");
  await expect(line).toHaveCount(0);
});

test("U6 on a slow line the login button stays busy until the dashboard is there", async ({ page }) => {
  await page.goto("/login");
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/assets/DashboardPage-*.js", async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest("**/assets/DashboardPage-*.js");
  await fillLogin(page, "admin", adminPassword);
  await asked;
  const button = page.getByRole("button", { name: "登录" });
  await expect(button).toHaveClass(/loading/);
  release();
  await expect(page.getByRole("heading", { level: 1, name: "首页" })).toBeAttached();
  await expect(button).toHaveCount(0);
});
