// Who gets where: the guard, redirects, titles and pages by address.

import { adminPassword } from "./fixtures/server";
import { arrive, enter, expect, fillLogin, open, signIn, test, tokenKey, tokenOf } from "./fixtures/test";

const menu = "主菜单";

test("S031 S041 the login page stands alone, without menu and top bar", async ({ page }) => {
  await open(page, "/login", "登录");
  await expect(page).toHaveTitle("登录 - YunLab 云实验室");
  await expect(page.getByRole("navigation", { name: menu })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "界面设置" })).toHaveCount(0);
});

const guarded = [
  ["/", "/login"],
  ["/dashboard", "/login?redirect=dashboard"],
  ["/users/user_list?q=zhang&page=2", "/login?redirect=users"],
  ["/netdisk/files/home/a%20b/", "/login?redirect=netdisk"],
  ["/settings/basic_setting#names", "/login?redirect=settings"],
  ["/no/such/page", "/login?redirect=no"],
  ["/404", "/login?redirect=404"],
  ["//evil.example/path", "/login"],
] as const;

test("S086 S087 without a token everything leads to the login page, with the first segment", async ({
  page,
}) => {
  for (const [address, target] of guarded) {
    await page.goto(address.startsWith("//") ? `/.${address}` : address);
    await expect(page.getByRole("heading", { name: "登录" })).toBeVisible();
    await expect(page, address).toHaveURL(target);
  }
});

test("S083 S082 a deep link lands where it pointed after sign-in", async ({ page, api }) => {
  await api.user({ username: "zhangmin" });
  await page.goto("/users/user_list?q=zhang&sort=username&order=asc");
  await expect(page).toHaveURL("/login?redirect=users");
  await fillLogin(page, "admin", adminPassword);
  await expect(page.getByRole("row", { name: /zhangmin/ })).toBeVisible();
  await expect(page).toHaveURL("/users/user_list?q=zhang&sort=username&order=asc");
});

test("S083 a shared login link leads into the section's first page that the role has", async ({
  page,
  api,
}) => {
  await api.user({ username: "zhangmin" });
  await page.goto("/login?redirect=users");
  await fillLogin(page, "zhangmin", "lab2026a");
  await expect(page).toHaveURL("/users/groupmember_list");
  await expect(page.getByRole("heading", { level: 1, name: "组成员" })).toBeAttached();
});

const foreign = ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", ".."];

test("a redirect that is no section of ours leads nowhere but home", async ({ page, faults }) => {
  // The page may be asking for something while its session is taken away.
  faults.expectStatus(401);
  for (const redirect of foreign) {
    await page.goto(`/login?redirect=${encodeURIComponent(redirect)}`);
    await fillLogin(page, "admin", adminPassword);
    await expect(page, redirect).toHaveURL("/dashboard");
    await page.evaluate((key) => localStorage.removeItem(key), tokenKey);
  }
});

test("S081 S039 S040 S042 with a token: /login and / and unknown paths lead to the dashboard", async ({
  page,
}) => {
  await arrive(page);
  for (const address of ["/login", "/", "/login?redirect=users", "/no/such/page", "/users/nobody"]) {
    await open(page, address, "首页");
    await expect(page, address).toHaveURL("/dashboard");
  }
});

const adminPages = [
  ["/servers/server_join", "添加服务器"],
  ["/users/user_list", "用户列表"],
  ["/users/group_list", "用户组列表"],
  ["/settings/basic_setting", "基本设置"],
  ["/settings/auth_setting", "认证设置"],
  ["/settings/security_setting", "安全设置"],
  ["/settings/retention_setting", "日志与数据保留"],
  ["/settings/https", "HTTPS"],
  ["/settings/backups", "备份"],
  ["/logs/login_log", "登录日志"],
  ["/logs/operate_log", "操作日志"],
] as const;

const everybodysPages = [
  ["/dashboard", "首页"],
  ["/images/image_prepare", "准备镜像"],
  ["/users/groupmember_list", "组成员"],
  ["/profile/detail", "个人资料"],
  ["/profile/password", "修改密码"],
  ["/profile/about", "关于"],
] as const;

test("S088 S282 S058 S061 S069 every page of an administrator opens by address and has its title", async ({
  page,
}) => {
  await arrive(page);
  for (const [address, title] of [...adminPages, ...everybodysPages]) {
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1 }).first()).toBeAttached();
    await expect(page, address).toHaveURL(address);
    const crumb = await page
      .getByRole("navigation", { name: "当前位置" })
      .locator("[aria-current=page]")
      .textContent();
    await expect(page).toHaveTitle(`${crumb} - YunLab 云实验室`);
    expect(crumb, address).toContain(title.slice(0, 2));
  }
});

test("S284 S286 administrators' pages are closed to ordinary users by address and not in their menu", async ({
  page,
  api,
}) => {
  await api.user({ username: "zhangmin" });
  await enter(page, "zhangmin");
  for (const [address, title] of adminPages) {
    await expect(page.getByRole("link", { name: title, exact: true })).toHaveCount(0);
    await open(page, address, "首页");
    await expect(page, address).toHaveURL("/dashboard");
  }
});

test("S285 S060 S071 S080 pages without a list of roles are open to everybody; the profile is not in the menu", async ({
  page,
  api,
}) => {
  await api.user({ username: "zhangmin" });
  await arrive(page, "zhangmin");
  for (const [address] of everybodysPages) {
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1 }).first()).toBeAttached();
    await expect(page, address).toHaveURL(address);
  }
  const links = page.getByRole("navigation", { name: menu }).getByRole("link");
  await expect(links.filter({ hasText: /个人资料|修改密码|关于|错误/ })).toHaveCount(0);
});

test("S033 S034 /404 and /401 stand outside the layout and lead back", async ({ page }) => {
  await arrive(page);
  for (const [address, heading] of [
    ["/404", "页面不存在"],
    ["/401", "没有权限"],
  ] as const) {
    await open(page, address, heading);
    await expect(page).toHaveTitle(`${heading} - YunLab 云实验室`);
    await expect(page.getByRole("navigation", { name: menu })).toHaveCount(0);
    await page.getByRole("button", { name: "回到首页" }).click();
    await expect(page).toHaveURL("/dashboard");
  }
});

test("S072 /error/404, /error/401 and /error-log/log are hidden pages inside the layout", async ({
  page,
}) => {
  await arrive(page);
  for (const [address, heading] of [
    ["/error/404", "页面不存在"],
    ["/error/401", "没有权限"],
    ["/error-log/log", "错误日志"],
  ] as const) {
    await open(page, address, heading);
    await expect(page.getByRole("navigation", { name: menu })).toBeVisible();
    const links = page.getByRole("navigation", { name: menu }).getByRole("link", { name: heading });
    await expect(links).toHaveCount(0);
  }
});

test("S035 /redirect/{path} leads back to the path, also with a search, and never to another host", async ({
  page,
}) => {
  await arrive(page);
  await open(page, "/redirect/users/user_list?q=admin", "用户列表");
  await expect(page).toHaveURL("/users/user_list?q=admin");
  await page.goto("/redirect//evil.example/");
  await expect(page).toHaveURL("/dashboard");
});

test("S032 S287 /auth-redirect goes on to the wanted page, through sign-in where needed", async ({
  page,
}) => {
  await page.goto("/auth-redirect?redirect=logs");
  await expect(page).toHaveURL("/login?redirect=logs");
  await fillLogin(page, "admin", adminPassword);
  await expect(page).toHaveURL("/logs/login_log");
  await page.goto("/auth-redirect?redirect=users");
  await expect(page).toHaveURL("/users/user_list");
});

test("S084 S085 when the profile cannot be fetched the message shows and the token is dropped", async ({
  page,
  faults,
}) => {
  faults.expectStatus(500);
  await arrive(page);
  await page.route("**/api/users/*", (route) =>
    route.fulfill({ status: 500, json: { code: "internal", message: "数据库正在维护", fields: [] } }),
  );
  await page.goto("/logs/login_log");
  await expect(page.getByText("数据库正在维护")).toBeVisible();
  await expect(page).toHaveURL("/login?redirect=logs");
  expect(await tokenOf(page)).toBe("");
});

test("S207 the profile is fetched and the routes are built once per session", async ({ page }) => {
  const fetched: string[] = [];
  page.on("request", (request) => {
    if (/\/api\/users\/\d+$/.test(request.url())) fetched.push(request.url());
  });
  await signIn(page);
  await page.getByRole("button", { name: "用户", exact: true }).click();
  await page.getByRole("link", { name: "用户列表" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "用户列表" })).toBeVisible();
  await page.getByRole("link", { name: "用户组列表" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "用户组列表" })).toBeVisible();
  expect(fetched).toHaveLength(1);
});
