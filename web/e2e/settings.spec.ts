// The platform's settings: what they change elsewhere, what they refuse, and that nothing typed is lost unasked.
import { breakCalls, brokenWords } from "./fixtures/refusals";
import { arrive, expect, open, test } from "./fixtures/test";

test("S022 S088 S338 the product's name changes title, menu and login page at once", async ({
  page,
  visitor,
}) => {
  await arrive(page);
  await open(page, "/settings/basic_setting", "基本设置");
  await page.getByLabel("产品名称").fill("深度学习实验室");
  await page.getByRole("button", { name: "保存", exact: true }).click();
  await expect(page.getByText("设置已保存")).toBeVisible();
  await expect(page).toHaveTitle("基本设置 - 深度学习实验室");
  await expect(page.locator("#side-menu")).toContainText("深度学习实验室");
  await page.getByRole("button", { name: /账号菜单/ }).click();
  await expect(page.getByRole("menuitem", { name: "深度学习实验室" })).toBeVisible();
  const other = await visitor();
  await other.goto("/login");
  await expect(other).toHaveTitle("登录 - 深度学习实验室");
});

test("S122 S123 S124 without a storage address the disk says so, to administrators and to others", async ({
  page,
  api,
  visitor,
}) => {
  await api.user({ username: "zhangmin" });
  await arrive(page);
  await open(page, "/settings/basic_setting", "基本设置");
  await page.getByLabel("存储服务器").fill("");
  await page.getByRole("button", { name: "保存", exact: true }).click();
  await expect(page.getByText("设置已保存")).toBeVisible();
  await page.locator("#side-menu").getByRole("link", { name: "网盘", exact: true }).click();
  const main = page.getByRole("main");
  await expect(main.getByText("存储服务器未配置，请进行配置", { exact: true })).toBeVisible();
  await expect(main).toContainText(/刷新.*重新登录/);
  await main
    .getByRole("button", { name: "基本设置" })
    .or(main.getByRole("link", { name: "基本设置" }))
    .click();
  await expect(page).toHaveURL("/settings/basic_setting");

  const theirs = await visitor();
  await arrive(theirs, "zhangmin");
  await theirs.goto("/netdisk/files/home/");
  await expect(theirs.getByText("存储服务器未配置，请联系管理员!", { exact: true })).toBeVisible();
  await expect(theirs.getByRole("main").getByRole("link", { name: "基本设置" })).toHaveCount(0);
});

test("addresses that are none are refused at their fields", async ({ page }) => {
  await arrive(page);
  await open(page, "/settings/basic_setting", "基本设置");
  await page.getByLabel("常见问题链接").fill("javascript:alert(1)");
  await page.getByLabel("存储服务器").fill("//evil.example");
  await page.getByRole("button", { name: "保存", exact: true }).click();
  await expect(page.getByText("请填写以 http:// 或 https:// 开头的地址", { exact: true })).toBeVisible();
  await expect(page.getByText("请填写以 http:// 或 https:// 开头的地址，或以 / 开头的路径")).toBeVisible();
});

test("leaving with unsaved changes asks; staying keeps them, leaving drops them", async ({ page, api }) => {
  await arrive(page);
  await open(page, "/settings/basic_setting", "基本设置");
  await page.getByLabel("产品名称").fill("还没保存");
  const question = page.getByRole("dialog", { name: "放弃未保存的修改？" });
  await page.locator("#side-menu").getByRole("link", { name: "认证设置" }).click();
  await question.getByRole("button", { name: "留在这里" }).click();
  await expect(page.getByLabel("产品名称")).toHaveValue("还没保存");
  await expect(page).toHaveURL("/settings/basic_setting");
  await page.locator("#side-menu").getByRole("link", { name: "认证设置" }).click();
  await question.getByRole("button", { name: "放弃" }).click();
  await expect(page).toHaveURL("/settings/auth_setting");
  expect((await api.settings()).basic.productName).not.toBe("还没保存");
});

test("S023 S254 names with an underscore are allowed once the settings say so", async ({ page }) => {
  await arrive(page);
  await open(page, "/settings/auth_setting", "认证设置");
  await page.getByRole("switch", { name: "用户名允许下划线" }).click();
  await page.getByLabel("登录有效期").fill("12");
  await page.getByRole("button", { name: "保存", exact: true }).click();
  await expect(page.getByText("设置已保存")).toBeVisible();
  await page.locator("#side-menu").getByRole("button", { name: "用户", exact: true }).click();
  await page.locator("#side-menu").getByRole("link", { name: "用户列表" }).click();
  await page.getByRole("button", { name: "新建用户" }).click();
  const drawer = page.getByRole("dialog", { name: "新建用户" });
  await drawer.getByLabel("用户名").fill("zhang_min");
  await drawer.getByLabel("姓名").fill("张敏");
  await drawer.getByRole("button", { name: "创建" }).click();
  await expect(page.getByText("已创建用户 zhang_min")).toBeVisible();
});

test("default quotas are what a new user starts with", async ({ page }) => {
  await arrive(page);
  await open(page, "/settings/basic_setting", "基本设置");
  await page.getByLabel("显卡", { exact: true }).fill("7");
  await page.getByRole("button", { name: "保存", exact: true }).click();
  await expect(page.getByText("设置已保存")).toBeVisible();
  await open(page, "/users/user_list?panel=new", "用户列表");
  await expect(
    page.getByRole("dialog", { name: "新建用户" }).getByLabel("显卡", { exact: true }),
  ).toHaveValue("7");
});

test("what happens when space is used up: set, refused when empty, and kept when saving fails", async ({
  page,
  api,
  faults,
}) => {
  faults.expectStatus(500);
  await arrive(page);
  await open(page, "/settings/basic_setting", "基本设置");
  const save = page.getByRole("button", { name: "保存", exact: true });
  const grace = page.getByLabel("宽限期");
  const freeze = page.getByRole("switch", { name: "冻结写满的实例" });
  const before = (await api.settings()).space;
  await grace.fill("");
  await save.click();
  await expect(page.getByText("请填写", { exact: true })).toBeVisible();
  await expect(grace).toHaveAttribute("aria-invalid", "true");

  await grace.fill("90");
  await page.getByLabel("系统盘上限").fill("50");
  await freeze.focus();
  await page.keyboard.press("Space");
  const mend = await breakCalls(page, "**/api/settings", "PUT");
  await save.click();
  await expect(page.getByText(brokenWords)).toBeVisible();
  await expect(grace).toHaveValue("90");
  expect((await api.settings()).space).toEqual(before);
  await mend();
  await save.click();
  await expect(page.getByText("设置已保存")).toBeVisible();
  expect((await api.settings()).space).toEqual({
    ...before,
    graceMinutes: 90,
    rootLimit: 50 * 1024 ** 3,
    freeze: !before.freeze,
  });
  await page.reload();
  await expect(grace).toHaveValue("90");
  await expect(page.getByLabel("系统盘上限")).toHaveValue("50");
  await expect(freeze).toBeChecked({ checked: !before.freeze });
});
