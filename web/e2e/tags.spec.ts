// The tag bar: the visited pages, and what its context menu does.
import type { Page } from "@playwright/test";
import { chooseEntry } from "./fixtures/menu";
import { enter, expect, open, test } from "./fixtures/test";

const bar = (page: Page) => page.getByRole("navigation", { name: "打开的页面" });
const tag = (page: Page, name: string) => bar(page).getByRole("link", { name, exact: true });
const titles = (page: Page) => bar(page).getByRole("link").allTextContents();

/** Goes there by the menu, so that the tags of the page stay. */
async function visit(page: Page, group: string, name: string) {
  const menu = page.getByRole("navigation", { name: "主菜单" });
  const head = menu.getByRole("button", { name: group, exact: true });
  if ((await head.getAttribute("aria-expanded")) === "false") await head.click();
  await menu.getByRole("link", { name, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeAttached();
}

async function visitThree(page: Page) {
  await enter(page);
  await visit(page, "用户", "用户列表");
  await visit(page, "用户", "用户组列表");
  await visit(page, "日志", "登录日志");
}

async function choose(page: Page, name: string, action: string) {
  await tag(page, name).click({ button: "right" });
  await chooseEntry(page.getByRole("menuitem", { name: action, exact: true }));
}

test("S041 S043 visited pages become tags, the dashboard's is pinned", async ({ page }) => {
  await visitThree(page);
  const shown = await titles(page);
  expect(shown[0]).toBe("首页");
  expect(shown.slice(-3)).toEqual(["用户列表", "用户组列表", "登录日志"]);
  await expect(bar(page).getByRole("button", { name: "关闭 首页" })).toHaveCount(0);
  await tag(page, "首页").click({ button: "right" });
  await expect(page.getByRole("menuitem", { name: "关闭", exact: true })).toHaveAttribute(
    "aria-disabled",
    "true",
  );
});

test("S103 S402 the context menu is 105 px wide and has its four entries", async ({ page }) => {
  await visitThree(page);
  await tag(page, "用户列表").click({ button: "right" });
  await expect(page.getByRole("menuitem")).toHaveText(["刷新", "关闭", "关闭其他", "关闭全部"]);
  await expect.poll(async () => (await page.getByRole("menu").boundingBox())?.width).toBe(105);
});

test("S103 S035 刷新 mounts the page afresh and asks the server again", async ({ page, api }) => {
  await visitThree(page);
  await tag(page, "用户列表").click();
  await page.getByRole("searchbox", { name: "姓名、用户名、邮箱" }).fill("zhang");
  await expect(page).toHaveURL(/q=zhang/);
  await api.user({ username: "zhangmin" });
  await choose(page, "用户列表", "刷新");
  await expect(page.getByRole("row", { name: /zhangmin/ })).toBeVisible();
  await expect(page).toHaveURL(/\/users\/user_list\?q=zhang$/);
});

test("S103 关闭 closes one tag and shows its neighbour", async ({ page }) => {
  await visitThree(page);
  await choose(page, "登录日志", "关闭");
  await expect(page).toHaveURL("/users/group_list");
  await choose(page, "用户列表", "关闭");
  await expect(page).toHaveURL("/users/group_list");
  expect((await titles(page)).slice(-1)).toEqual(["用户组列表"]);
  await expect(tag(page, "用户列表")).toHaveCount(0);
});

test("S103 关闭其他 leaves the pinned ones and this one, and shows it", async ({ page }) => {
  await visitThree(page);
  await choose(page, "用户列表", "关闭其他");
  await expect(page).toHaveURL("/users/user_list");
  await expect(tag(page, "登录日志")).toHaveCount(0);
  await expect(tag(page, "用户组列表")).toHaveCount(0);
  await expect(tag(page, "首页")).toBeVisible();
});

test("S103 关闭全部 leaves the pinned ones and shows the dashboard", async ({ page }) => {
  await visitThree(page);
  await choose(page, "用户列表", "关闭全部");
  await expect(page).toHaveURL("/dashboard");
  await expect(bar(page).getByRole("button", { name: /^关闭/ })).toHaveCount(0);
});

test("tags by keyboard: arrows move, Delete closes, the menu key opens the menu", async ({ page }) => {
  await visitThree(page);
  await tag(page, "登录日志").focus();
  await page.keyboard.press("ArrowLeft");
  await expect(tag(page, "用户组列表")).toBeFocused();
  await page.keyboard.press("Delete");
  await expect(tag(page, "用户组列表")).toHaveCount(0);
  await expect(page).toHaveURL("/logs/login_log");
  await tag(page, "用户列表").focus();
  await page.keyboard.press("Shift+F10");
  await expect(page.getByRole("menuitem", { name: "刷新" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menuitem", { name: "刷新" })).toBeHidden();
});

test("a tag leads back to what was seen there: search and page stay in the address", async ({ page }) => {
  await visitThree(page);
  await open(page, "/users/user_list?q=admin", "用户列表");
  await visit(page, "日志", "操作日志");
  await tag(page, "用户列表").click();
  await expect(page).toHaveURL("/users/user_list?q=admin");
  await expect(page.getByRole("searchbox", { name: "姓名、用户名、邮箱" })).toHaveValue("admin");
});
