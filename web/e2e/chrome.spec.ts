// How little stands between the window's top and the page, and the ways through the menu and through long pages.
import { arrive, expect, open, phone, test } from "./fixtures/test";

test("U38 the first row of content begins above 130 px, with tags and the notice in one line", async ({
  page,
  api,
}) => {
  await api.user({ username: "zhangmin" });
  await arrive(page);
  for (const [address, heading] of [
    ["/servers/server_list", "服务器列表"],
    ["/users/user_list", "用户列表"],
    ["/logs/login_log", "登录日志"],
    ["/settings/basic_setting", "基本设置"],
    ["/dashboard", "首页"],
  ] as const) {
    await open(page, address, heading);
    const notice = page.getByRole("note");
    await expect(notice).toBeVisible();
    expect((await notice.boundingBox())?.height, address).toBeLessThan(32);
    await expect(page.getByRole("navigation", { name: "打开的页面" })).toBeVisible();
    // The first card, or what stands above it, below the notice.
    const top = await page.locator("main").evaluate((main) => {
      const shown = [...main.querySelectorAll("*")]
        .filter((one) => !one.closest("[role=note]") && one.getBoundingClientRect().height > 8)
        .filter((one) => one.tagName === "SECTION" || one.childElementCount === 0);
      return Math.min(...shown.map((one) => one.getBoundingClientRect().top));
    });
    expect(top, address).toBeLessThan(130);
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
