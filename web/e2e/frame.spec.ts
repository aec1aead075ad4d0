// The frame around every page: menu, top bar, tags, notice, footer, and how it behaves in a narrow window.
import type { Page } from "@playwright/test";
import { arrowDown } from "./fixtures/menu";
import { arrive, enter, expect, open, phone, test } from "./fixtures/test";

const product = "YunLab 云实验室";

const cookie = async (page: Page, name: string) =>
  (await page.context().cookies()).find((found) => found.name === name);

const width = async (page: Page, locator = page.locator("#side-menu")) =>
  Math.round((await locator.boundingBox())?.width ?? 0);

test("S089 S199 S208 S403 the side menu is 210 px, collapses, and the cookie says 1 or 0", async ({
  page,
}) => {
  await enter(page);
  await expect.poll(() => width(page)).toBe(210);
  await page.getByRole("button", { name: "收起菜单" }).click();
  await expect.poll(() => width(page)).toBeLessThan(80);
  expect((await cookie(page, "sidebar_status"))?.value).toBe("0");
  await page.reload();
  await expect(page.getByRole("button", { name: "展开菜单" })).toBeVisible();
  await expect.poll(() => width(page)).toBeLessThan(80);
  await page.getByRole("button", { name: "展开菜单" }).click();
  await expect.poll(() => width(page)).toBe(210);
  expect((await cookie(page, "sidebar_status"))?.value).toBe("1");
});

test("the collapsed menu's groups open at the side, by mouse and by keyboard", async ({ page }) => {
  await enter(page);
  await page.getByRole("button", { name: "收起菜单" }).click();
  const group = page.getByRole("navigation", { name: "主菜单" }).getByRole("button", { name: "用户" });
  await group.click();
  await page.getByRole("menuitem", { name: "组成员" }).click();
  await expect(page).toHaveURL("/users/groupmember_list");
  await page.mouse.move(900, 600);
  await expect(page.getByRole("menuitem", { name: "组成员" })).toBeHidden();
  await group.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "用户列表" })).toBeFocused();
  await arrowDown(page, "用户列表", "用户组列表");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/users/group_list");
});

test("S090 S028 a click on the version opens the about page", async ({ page }) => {
  await enter(page);
  await page.locator("#side-menu").getByRole("link", { name: "4.3.29" }).click();
  await expect(page).toHaveURL("/profile/about");
  await expect(page.getByRole("main")).toContainText("4.3.29");
});

test("S091 the new-version badge is there exactly when the latest version is newer", async ({ page }) => {
  await arrive(page);
  const badge = page.locator("#side-menu").getByText("新版本");
  for (const [latest, shown] of [
    ["4.3.30", 1],
    ["4.3.29", 0],
    ["4.10.0", 1],
    ["4.3.9", 0],
  ] as const) {
    await page.route("**/api/update", (route) =>
      route.fulfill({ json: { version: "4.3.29", latestversion: latest, notes: "", state: "idle" } }),
    );
    const asked = page.waitForResponse("**/api/update");
    await page.goto("/profile/about");
    await asked;
    await expect(page.getByRole("main").getByText(latest, { exact: true }).first()).toBeVisible();
    await expect(badge, latest).toHaveCount(shown);
    await page.unroute("**/api/update");
  }
});

test("S092 the breadcrumb says section and page", async ({ page }) => {
  await arrive(page);
  await open(page, "/logs/login_log", "登录日志");
  await expect(page.getByRole("navigation", { name: "当前位置" })).toHaveText(/日志\s*\/\s*登录日志/);
});

test("S094 fullscreen goes on and off", async ({ page }) => {
  await enter(page);
  const full = () => page.evaluate(() => document.fullscreenElement !== null);
  await page.getByRole("button", { name: "全屏", exact: true }).click();
  await expect.poll(full).toBe(true);
  await page.getByRole("button", { name: "退出全屏" }).click();
  await expect.poll(full).toBe(false);
});

test("S391 S398 without fullscreen support the toggle warns", async ({ page }) => {
  await page.addInitScript(() => {
    Reflect.deleteProperty(Element.prototype, "requestFullscreen");
  });
  await enter(page);
  await page.getByRole("button", { name: "全屏", exact: true }).click();
  await expect(page.getByText("you browser can not work")).toBeVisible();
});

test("S095 S096 S098 S099 S100 the account menu has all its entries and each leads where it says", async ({
  page,
  api,
  faults,
}) => {
  // What is on its way when the session ends.
  faults.expectStatus(401);
  await api.changeBasic({ faqLink: "https://faq.example.com/" });
  await enter(page);
  const account = page.getByRole("button", { name: /账号菜单/ });
  const entry = (name: string) => page.getByRole("menuitem", { name });
  for (const [name, target] of [
    ["个人中心", "/profile/detail"],
    ["修改密码", "/profile/password"],
    [product, "/profile/about"],
  ] as const) {
    await account.click();
    await entry(name).click();
    await expect(page).toHaveURL(target);
  }
  await account.click();
  await expect(entry("工单系统")).toBeVisible();
  const faq = entry("常见问题").getByRole("link");
  await expect(faq).toHaveAttribute("href", "https://faq.example.com/");
  await expect(faq).toHaveAttribute("target", "_blank");
  await entry("退出登录").click();
  await expect(page).toHaveURL("/login");
});

test("the account menu works by keyboard and gives the focus back", async ({ page }) => {
  await enter(page);
  const account = page.getByRole("button", { name: /账号菜单/ });
  await account.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "个人中心" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menuitem", { name: "个人中心" })).toBeHidden();
  await expect(account).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "个人中心" })).toBeFocused();
  await arrowDown(page, "个人中心", "修改密码");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/profile/password");
});

test("S101 the footer has the thanks link and the copyright line of the settings", async ({ page, api }) => {
  await api.changeBasic({
    thanksText: "感谢计算机学院",
    thanksLink: "https://cs.example.com/",
    copyright: "© 2026 云实验室",
  });
  await enter(page);
  const footer = page.getByRole("contentinfo");
  await expect(footer.getByRole("link", { name: "感谢计算机学院" })).toHaveAttribute(
    "href",
    "https://cs.example.com/",
  );
  await expect(footer).toContainText("© 2026 云实验室");
});

test("S027 S107 S108 the miner notice goes for seven days, by cookie, and says so", async ({ page }) => {
  await enter(page);
  const notice = page.getByRole("note").filter({ hasText: "挖矿" });
  await expect(notice).toBeVisible();
  await notice.getByRole("button", { name: "7天内不再显示该提醒" }).click();
  await expect(page.getByText("7天内不再显示该提醒")).toBeVisible();
  await expect(notice).toBeHidden();
  const days = (((await cookie(page, "miner_notice"))?.expires ?? 0) * 1000 - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.99);
  expect(days).toBeLessThanOrEqual(7);
  await page.reload();
  await expect(page.getByRole("contentinfo")).toBeVisible();
  await expect(notice).toBeHidden();
  await page.context().clearCookies({ name: "miner_notice" });
  await page.reload();
  await expect(notice).toBeVisible();
});

test("S106 S208 under 992 px the menu is a drawer that closes by itself", async ({ page }) => {
  await enter(page);
  await expect(page.getByRole("button", { name: "收起菜单" })).toBeVisible();
  await page.setViewportSize({ width: 991, height: 800 });
  await expect(page.getByRole("button", { name: "展开菜单" })).toBeVisible();
  const menu = page.locator("#side-menu");
  await expect(menu).not.toBeInViewport();
  await page.getByRole("button", { name: "展开菜单" }).click();
  await expect(menu).toBeInViewport();
  await menu.getByRole("button", { name: "日志" }).click();
  await menu.getByRole("link", { name: "登录日志" }).click();
  await expect(page).toHaveURL("/logs/login_log");
  await expect(menu).not.toBeInViewport();
  await page.setViewportSize({ width: 992, height: 800 });
  await expect.poll(() => width(page)).toBe(210);
});

test("S106 on a phone the drawer closes by Escape, by a tap beside it and by the page that is shown", async ({
  visitor,
}) => {
  const page = await visitor(phone);
  await enter(page);
  const menu = page.locator("#side-menu");
  const openMenu = () => page.getByRole("button", { name: "展开菜单" }).tap();
  await openMenu();
  await expect(menu).toBeInViewport();
  await page.keyboard.press("Escape");
  await expect(menu).not.toBeInViewport();
  await openMenu();
  await expect(menu).toBeInViewport();
  await page.getByRole("button", { name: "关闭菜单" }).tap({ position: { x: 360, y: 500 } });
  await expect(menu).not.toBeInViewport();
  await openMenu();
  await menu.getByRole("link", { name: "首页" }).tap();
  await expect(menu).not.toBeInViewport();
  await expect(page).toHaveURL("/dashboard");
});

for (const wide of process.env.E2E_ALL ? [360, 768] : [360]) {
  test(`no page is wider than a window of ${wide} px`, async ({ page, api }) => {
    await api.user({ username: "abcdefghijklmnopqrst", name: "名字很长的一位同学".repeat(4) });
    await page.setViewportSize({ width: wide, height: 800 });
    await arrive(page);
    const addresses = [
      "/dashboard",
      "/users/user_list",
      "/users/group_list",
      "/users/groupmember_list",
      "/settings/basic_setting",
      "/settings/auth_setting",
      "/settings/security_setting",
      "/settings/retention_setting",
      "/settings/https",
      "/settings/backups",
      "/logs/login_log",
      "/logs/operate_log",
      "/profile/detail",
      "/profile/password",
      "/profile/about",
    ];
    for (const address of addresses) {
      await page.goto(address);
      await expect(page.getByRole("heading", { level: 1 }).first()).toBeAttached();
      await expect(page.locator("main [class*=skeleton]")).toHaveCount(0);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, address).toBeLessThanOrEqual(0);
    }
  });
}

test("while scripts are on their way something is to be seen, in the dark and on a phone too", async ({
  visitor,
}) => {
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await visitor({ ...phone, colorScheme });
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    await page.route("**/assets/*.js", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto("/login", { waitUntil: "commit" });
    const opening = page.getByText("正在打开…");
    await expect(opening).toBeVisible();
    await expect
      .poll(() => page.locator("#splash").evaluate((all) => getComputedStyle(all).opacity))
      .toBe("1");
    go();
    await expect(page.getByLabel("用户名")).toBeVisible();
    await expect(opening).toHaveCount(0);
  }
});
