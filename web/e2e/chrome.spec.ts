// How little stands between the window's top and the page, and the ways through the menu and through long pages.
import type { Locator, Page } from "@playwright/test";
import { arrive, expect, open, phone, test } from "./fixtures/test";

const tableRow = (name: string) => (page: Page) => page.getByRole("table", { name }).getByRole("row").nth(1);

/** Pages with their first row, which is what people came for, and how far below the window's top it may begin. */
const firstRows: readonly [string, string, (page: Page) => Locator, number][] = [
  ["/users/user_list", "用户列表", tableRow("用户列表"), 250],
  ["/logs/login_log", "登录日志", tableRow("登录日志"), 250],
  ["/settings/basic_setting", "基本设置", (page) => page.getByRole("main").getByRole("textbox").first(), 240],
  ["/dashboard", "首页", (page) => page.getByRole("main").getByRole("link").first(), 180],
];

test("U38 content begins above 130 px, and its first row soon after, with tags and the notice in one line", async ({
  page,
  api,
}) => {
  await api.user({ username: "zhangmin" });
  await arrive(page);
  for (const [address, heading, row, most] of firstRows) {
    await open(page, address, heading);
    const notice = page.getByRole("note");
    await expect(notice).toBeVisible();
    expect((await notice.boundingBox())?.height, address).toBeLessThan(32);
    await expect(page.getByRole("navigation", { name: "打开的页面" })).toBeVisible();
    const first = row(page);
    await expect(first).toBeVisible();
    expect((await first.boundingBox())?.y, `the first row of ${address}`).toBeLessThan(most);
    // The line of counts and buttons, or the first card where there is none.
    const line = page.getByRole("main").locator("header:has(span:not(:empty)), section").first();
    expect((await line.boundingBox())?.y, address).toBeLessThan(130);
  }
});

for (const [width, options] of [
  ["1440", {}],
  ["390", phone],
] as const) {
  test(`U23 at ${width} px work orders are an entry of the menu, and single pages need no group`, async ({
    api,
    visitor,
  }) => {
    await api.user({ username: "zhangmin" });
    const page = await visitor(options);
    await arrive(page, "zhangmin");
    await open(page, "/dashboard", "首页");
    const menu = page.getByRole("navigation", { name: "主菜单" });
    const show = async () => {
      if (width === "390") await page.getByRole("button", { name: "展开菜单" }).press("Enter");
    };
    await show();
    await expect(menu.getByRole("link", { name: "组成员" })).toBeVisible();
    await expect(menu.getByRole("link", { name: "网盘设置" })).toBeVisible();
    await expect(menu.getByRole("button", { name: "系统设置" })).toHaveCount(0);
    await menu.getByRole("link", { name: "工单", exact: true }).press("Enter");
    await expect(page).toHaveURL("/profile/worksheet");
    await expect(page.getByRole("heading", { level: 1, name: "工单系统" })).toBeAttached();
    await show();
    await expect(menu.getByRole("link", { name: "工单", exact: true })).toHaveAttribute(
      "aria-current",
      "page",
    );
  });

  test(`U37 at ${width} px the settings have an index of their parts, by keyboard`, async ({ visitor }) => {
    const page = await visitor(options);
    await arrive(page);
    await open(page, "/settings/basic_setting", "基本设置");
    const index = page.getByRole("navigation", { name: "本页目录" });
    await expect(index.getByRole("link")).not.toHaveCount(0);
    await expect(index.getByRole("link", { name: "名称与页脚" })).toHaveAttribute("aria-current", "location");
    await index.getByRole("link", { name: "消息通知" }).press("Enter");
    const heading = page.getByRole("heading", { level: 2, name: "消息通知" });
    await expect(heading).toBeInViewport();
    await expect(heading).toBeFocused();
    await expect(index.getByRole("link", { name: "名称与页脚" })).not.toHaveAttribute(
      "aria-current",
      "location",
    );
    // Nothing was hidden below the bars.
    expect((await heading.boundingBox())?.y).toBeGreaterThan(48);
  });
}
