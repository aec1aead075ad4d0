// The session: sign-in, its refusals, renewal, several tabs, and every way it ends.
import type { Page } from "@playwright/test";
import { chooseEntry } from "./fixtures/menu";
import { adminPassword } from "./fixtures/server";
import { arrive, expect, fillLogin, giveToken, open, signIn, test, tokenKey, tokenOf } from "./fixtures/test";

const expired = "登录过期，重新登录...";

/** As if the token were some minutes old, which is when pages renew it: the browser's clock goes ahead. */
async function openLater(page: Page, address: string, minutes = 10) {
  await page.clock.setSystemTime(Date.now() + minutes * 60_000);
  await page.goto(address);
}

test("S262 wrong credentials say so, stay on the page and keep the name", async ({ page, faults }) => {
  faults.expectStatus(422);
  await page.goto("/login");
  await fillLogin(page, "admin", "wrong-password1");
  await expect(page.getByRole("main").getByRole("alert")).toHaveText("用户名或密码错误");
  await expect(page.getByLabel("用户名")).toHaveValue("admin");
  await expect(page.getByLabel("密码", { exact: true })).toBeFocused();
  await expect(page).toHaveURL("/login");
  await fillLogin(page, "nobody", "wrong-password1");
  await expect(page.getByRole("main").getByRole("alert")).toHaveText("用户名或密码错误");
});

test("empty fields are named, nothing is sent", async ({ page }) => {
  const sent: string[] = [];
  page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
  await page.goto("/login");
  await page.getByRole("button", { name: "登录", exact: true }).click();
  await expect(page.getByText("请输入用户名")).toBeVisible();
  await expect(page.getByText("请输入密码")).toBeVisible();
  await expect(page.getByLabel("用户名")).toBeFocused();
  expect(sent).toEqual([]);
});

test("S259 S203 S202 the name is trimmed and remembered; Enter submits", async ({ page }) => {
  await page.goto("/login");
  await page.getByLabel("用户名").fill("  admin \t");
  await page.getByLabel("密码", { exact: true }).fill(adminPassword);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/dashboard");
  expect(await page.evaluate(() => localStorage.getItem("login_name"))).toBe("admin");
});

test("a disabled account is told so at sign-in, with the right password only", async ({
  page,
  api,
  faults,
}) => {
  faults.expectStatus(403, 422);
  const { id } = await api.user({ username: "zhangmin" });
  await api.setActive([id], false);
  await page.goto("/login");
  await fillLogin(page, "zhangmin", "lab2026a");
  await expect(page.getByRole("main").getByRole("alert")).toContainText("账号已禁用");
  await fillLogin(page, "zhangmin", "other2026");
  await expect(page.getByRole("main").getByRole("alert")).toHaveText("用户名或密码错误");
});

test("too many tries have to wait, and the page counts the seconds", async ({ page, faults }) => {
  faults.expectStatus(429);
  await page.route("**/api/auth", (route) =>
    route.fulfill({
      status: 429,
      headers: { "retry-after": "30" },
      json: { code: "too_many_requests", message: "操作过于频繁，请 30 秒后再试", fields: [] },
    }),
  );
  await page.clock.install();
  await page.goto("/login");
  await fillLogin(page, "admin", adminPassword);
  const alert = page.getByRole("main").getByRole("alert");
  const button = page.getByRole("button", { name: "登录", exact: true });
  await expect(alert).toContainText(/(29|30) 秒/);
  await expect(button).toBeDisabled();
  await page.clock.runFor(20_000);
  await expect(alert).toContainText(/(9|10) 秒/);
  await expect(alert).not.toContainText("30 秒");
  await page.clock.runFor(11_000);
  await expect(button).toBeEnabled();
  await expect(alert).not.toContainText(/\d+ 秒/);
});

test("S205 S384 S405 a session that the server ended leads to the login page with the warning", async ({
  page,
  api,
  faults,
}) => {
  faults.expectStatus(401, 422);
  const { id } = await api.user({ username: "zhangmin" });
  await signIn(page, "zhangmin");
  await api.setPassword(id, "other2026");
  await page.getByRole("link", { name: "组成员" }).click();
  const warning = page.getByText(expired);
  await expect(warning).toBeVisible();
  await expect(page).toHaveURL("/login?redirect=users");
  await expect(warning).toBeHidden();
  expect(await tokenOf(page)).toBe("");
  await fillLogin(page, "zhangmin", "other2026");
  await page.getByLabel("新密码", { exact: true }).fill("river-2026");
  await page.getByLabel("再输一次").fill("river-2026");
  await page.getByRole("button", { name: "保存并登录" }).click();
  await expect(page).toHaveURL("/users/groupmember_list");
});

test("S205 a token that is gone from storage ends the session with the next click", async ({
  page,
  faults,
}) => {
  // What asks at the same moment, as the line for broadcasts does, asks without it.
  faults.expectStatus(401);
  await arrive(page);
  await open(page, "/profile/detail", "个人资料");
  // At once with the click: what the page asks for in between would be the first to notice.
  await page
    .locator("#side-menu")
    .getByRole("link", { name: "4.3.29" })
    .evaluate((link: HTMLElement, key) => {
      localStorage.removeItem(key);
      link.click();
    }, tokenKey);
  await expect(page.getByText(expired)).toBeVisible();
  await expect(page).toHaveURL("/login?redirect=profile");
});

test("S385 an open question is gone when the session ends", async ({ page, api, faults }) => {
  faults.expectStatus(401);
  const { id } = await api.user({ username: "boss", role: 1 });
  await api.user({ username: "zhangmin" });
  await signIn(page, "boss");
  await open(page, "/users/user_list", "用户列表");
  await page
    .getByRole("row", { name: /zhangmin/ })
    .getByRole("button", { name: /更多操作/ })
    .click();
  await chooseEntry(page.getByRole("menuitem", { name: "禁用" }));
  const question = page.getByRole("dialog", { name: /禁用用户 zhangmin/ });
  await api.setPassword(id, "other2026");
  await question.getByRole("button", { name: "禁用" }).click();
  await expect(page).toHaveURL("/login?redirect=users");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("S263 a token with two parts is malformed and the page asks to sign in again", async ({
  page,
  faults,
}) => {
  faults.expectStatus(401);
  await giveToken(page, "abc.def");
  // Looked for from the beginning: it is shown for two seconds, which the rest may take on a busy machine.
  await Promise.all([expect(page.getByText("token malformed")).toBeVisible(), page.goto("/dashboard")]);
  await expect(page).toHaveURL("/login?redirect=dashboard");
  expect(await tokenOf(page)).toBe("");
});

test("a token with a forged role is refused", async ({ page, api, apiOf, faults }) => {
  faults.expectStatus(401);
  await api.user({ username: "zhangmin" });
  const [head, body, signature] = (await apiOf("zhangmin")).token.split(".");
  const claims = JSON.parse(Buffer.from(body ?? "", "base64url").toString());
  const forged = Buffer.from(JSON.stringify({ ...claims, role: 1, iat: 0 })).toString("base64url");
  const token = [head, forged, signature].join(".");
  await giveToken(page, token);
  await page.goto("/users/user_list");
  await expect(page).toHaveURL("/login?redirect=users");
  expect(await tokenOf(page)).toBe("");
});

test("S206 S313 the token is renewed at start", async ({ page, server }) => {
  await signIn(page);
  const old = await tokenOf(page);
  const renewed = page.waitForResponse("**/api/renew");
  await openLater(page, "/profile/about");
  expect((await renewed).status()).toBe(200);
  await expect(page).toHaveURL("/profile/about");
  const now = await tokenOf(page);
  expect(now).not.toBe(old);
  const headers = { authorization: `Bearer ${now}` };
  expect((await page.request.get(`${server.origin}/api/dashboard`, { headers })).status()).toBe(200);
});

test("S206 a server that cannot be asked does not end the session at start", async ({ page, faults }) => {
  faults.expectStatus(503);
  await signIn(page);
  await page.route("**/api/renew", (route) => route.fulfill({ status: 503, json: { message: "busy" } }));
  await openLater(page, "/profile/about");
  await expect(page.getByRole("heading", { level: 1 }).first()).toBeAttached();
  await expect(page).toHaveURL("/profile/about");
});

test("a page that is left while it starts does not sign out", async ({ page }) => {
  await signIn(page);
  // What the browser does with a call of a page that goes away is a matter of moments: several times.
  for (const address of ["/profile/about", "/profile/detail", "/logs/login_log", "/users/user_list"]) {
    await page.route("**/api/users/*", () => {}, { times: 1 });
    const asked = page.waitForRequest("**/api/users/*");
    await page.goto("/logs/operate_log");
    await asked;
    await page.goto(address);
    await expect(page.getByRole("navigation", { name: "主菜单" })).toBeVisible();
    await expect(page).toHaveURL(address);
  }
});

test("two tabs that start at once renew one after the other and both stay signed in", async ({
  page,
  context,
  faults,
}) => {
  // A call that was under way with the token that the other tab renewed is refused once and sent again.
  faults.expectStatus(401);
  await signIn(page);
  const renewals: string[] = [];
  context.on("request", (request) => request.url().endsWith("/api/renew") && renewals.push(request.url()));
  const second = await context.newPage();
  await Promise.all([openLater(page, "/users/user_list"), openLater(second, "/logs/login_log")]);
  await expect(page.getByRole("table", { name: "用户列表" })).toBeVisible();
  await expect(second.getByRole("table", { name: "登录日志" })).toBeVisible();
  expect(renewals.length).toBeLessThanOrEqual(2);
  for (const tab of [page, second]) {
    await tab.reload();
    await expect(tab.getByRole("table")).toBeVisible();
    await expect(tab.getByText(expired)).toHaveCount(0);
  }
});

test("a tab that waits while another renews goes on working with the new token", async ({
  page,
  context,
}) => {
  await signIn(page);
  const second = await context.newPage();
  await openLater(second, "/logs/login_log");
  await expect(second.getByRole("table", { name: "登录日志" })).toBeVisible();
  await page.getByRole("button", { name: "用户", exact: true }).click();
  await page.getByRole("link", { name: "用户列表" }).click();
  await expect(page.getByRole("table", { name: "用户列表" })).toBeVisible();
});

test("S204 S100 sign-out in one tab ends the other at once; sign-in brings both back to where they were", async ({
  page,
  context,
  faults,
}) => {
  // What the other tab was just asking.
  faults.expectStatus(401);
  await signIn(page);
  const second = await context.newPage();
  await open(second, "/users/user_list", "用户列表");
  await page.getByRole("button", { name: /账号菜单/ }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "退出登录" }));
  await expect(page).toHaveURL("/login");
  await expect(page.getByText(expired)).toHaveCount(0);
  await expect(second.getByText(expired)).toBeVisible();
  await expect(second).toHaveURL("/login?redirect=users");
  await fillLogin(page, "admin", adminPassword);
  await expect(page).toHaveURL("/dashboard");
  await expect(second.getByRole("heading", { level: 1, name: "用户列表" })).toBeVisible();
  await expect(second).toHaveURL("/users/user_list");
});

test("S312 the token is refused after sign-out, by the portal and by the disk", async ({ page, server }) => {
  await signIn(page);
  const headers = { authorization: `Bearer ${await tokenOf(page)}` };
  const statuses = async () =>
    Promise.all(
      ["/api/dashboard", "/disk/api/resources/"].map(async (path) =>
        (await page.request.get(server.origin + path, { headers })).status(),
      ),
    );
  expect(await statuses()).toEqual([200, 200]);
  const ended = page.waitForResponse("**/api/auth/logout");
  await page.getByRole("button", { name: /账号菜单/ }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "退出登录" }));
  await ended;
  expect(await statuses()).toEqual([401, 401]);
});

test("somebody else's sign-in in another tab takes this tab over", async ({ page, context, api, faults }) => {
  faults.expectStatus(401);
  await api.user({ username: "zhangmin", name: "张敏" });
  await signIn(page);
  const second = await context.newPage();
  await open(second, "/users/user_list", "用户列表");
  await page.getByRole("button", { name: /账号菜单/ }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "退出登录" }));
  await expect(page).toHaveURL("/login");
  await fillLogin(page, "zhangmin", "lab2026a");
  await expect(page).toHaveURL("/dashboard");
  // The list of users is not for them.
  await expect(second.getByRole("button", { name: "张敏，账号菜单" })).toBeVisible();
  await expect(second).toHaveURL("/dashboard");
});

test("S309 calls carry the token in a header and never in an address", async ({ page }) => {
  const signed: string[] = [];
  const leaks: string[] = [];
  page.on("request", (request) => {
    const { authorization } = request.headers();
    if (authorization?.startsWith("Bearer ey")) signed.push(new URL(request.url()).pathname);
    if (/eyJ/.test(request.url())) leaks.push(request.url());
  });
  await signIn(page);
  await open(page, "/logs/login_log", "登录日志");
  await expect(page.getByRole("table", { name: "登录日志" })).toBeVisible();
  expect(signed).toEqual(expect.arrayContaining(["/api/dashboard", "/api/logs/login"]));
  expect(leaks).toEqual([]);
});
