// The settings drawer: colours, dark, tags, header, logo. All of it holds at once and after a reload.
import type { Page } from "@playwright/test";
import { arrive, enter, expect, signIn, test } from "./fixtures/test";

const openSettings = (page: Page) => page.getByRole("button", { name: "界面设置" }).click();
const drawer = (page: Page) => page.getByRole("dialog", { name: "界面设置" });
const accent = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--c-primary").trim());
const ground = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--c-layout").trim());

const stored = (page: Page) => page.evaluate(() => JSON.parse(localStorage.getItem("ui_settings") ?? "{}"));

async function primaryButton(page: Page) {
  await page.goto("/users/user_list");
  const button = page.getByRole("button", { name: "新建用户" });
  await expect(button).toBeVisible();
  return button.evaluate((element) => getComputedStyle(element).backgroundColor);
}

const colours = [
  ["湖蓝", "#166db6"],
  ["黛青", "#0b7a75"],
  ["松绿", "#1f7f45"],
  ["靛蓝", "#4f5fd0"],
  ["紫", "#7d52c7"],
  ["绛紫", "#b23a80"],
  ["赭石", "#8f640f"],
  ["石墨", "#5a6b80"],
] as const;

const rgb = (hex: string) =>
  `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(", ")})`;

test("S104 S404 S198 eight colours change the page, the default is #166db6", async ({ page }) => {
  await enter(page);
  expect(await accent(page)).toBe("#166db6");
  await openSettings(page);
  const radios = drawer(page).getByRole("group", { name: "主题色" }).getByRole("radio");
  await expect(radios).toHaveCount(8);
  for (const [name, colour] of colours.toReversed()) {
    await drawer(page).getByText(name, { exact: true }).click();
    await expect.poll(() => accent(page)).toBe(colour);
    await expect(drawer(page).getByRole("radio", { name, exact: true })).toBeChecked();
    expect((await stored(page)).theme).toBe(colour);
  }
});

test("S104 the colour is there after a reload, on buttons too", async ({ page }) => {
  await enter(page);
  await openSettings(page);
  await drawer(page).getByText("松绿", { exact: true }).click();
  await page.reload();
  await expect.poll(() => accent(page)).toBe("#1f7f45");
  await expect(page.getByRole("heading", { level: 1, name: "首页" })).toBeAttached();
  expect(await primaryButton(page)).toBe(rgb("#1f7f45"));
});

test("dark and light: chosen, after a reload, and as the system has it", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await enter(page);
  const dark = await ground(page);
  await page.emulateMedia({ colorScheme: "light" });
  await expect.poll(() => ground(page)).not.toBe(dark);
  await openSettings(page);
  await drawer(page).getByText("深色").click();
  await expect.poll(() => ground(page)).toBe(dark);
  await page.reload();
  await expect.poll(() => ground(page)).toBe(dark);
  await openSettings(page);
  await drawer(page).getByText("跟随系统").click();
  await expect.poll(() => ground(page)).not.toBe(dark);
});

test("S102 S105 tags can be switched off and stay off", async ({ page }) => {
  await enter(page);
  const tags = page.getByRole("navigation", { name: "打开的页面" });
  await expect(tags).toBeVisible();
  await openSettings(page);
  await drawer(page).getByRole("switch", { name: "标签栏" }).click();
  await expect(tags).toBeHidden();
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "首页" })).toBeAttached();
  await expect(tags).toBeHidden();
});

test("S105 the header is fixed, or scrolls away when that is switched off", async ({ page }) => {
  await page.setViewportSize({ width: 1200, height: 420 });
  await arrive(page);
  const header = page.getByRole("button", { name: "界面设置" });
  await page.goto("/settings/basic_setting");
  await expect(page.getByLabel("产品名称")).toBeVisible();
  const last = page.getByLabel("结束端口");
  await last.scrollIntoViewIfNeeded();
  await expect(header).toBeInViewport();
  await openSettings(page);
  await drawer(page).getByRole("switch", { name: "固定顶栏" }).click();
  await page.keyboard.press("Escape");
  await expect(drawer(page)).toBeHidden();
  await last.scrollIntoViewIfNeeded();
  await expect(header).not.toBeInViewport();
});

test("S105 the menu's logo can be switched off", async ({ page }) => {
  await enter(page);
  const logo = page.locator("#side-menu").locator("svg").first();
  const brand = page.locator("#side-menu").getByRole("link", { name: "YunLab 云实验室" });
  const before = (await brand.boundingBox())?.x ?? 0;
  await expect(logo).toBeVisible();
  await openSettings(page);
  await drawer(page).getByRole("switch", { name: "菜单标志" }).click();
  await expect.poll(async () => (await brand.boundingBox())?.x ?? 0).toBeLessThan(before);
  expect((await stored(page)).sidebarLogo).toBe(false);
});

test("S200 the size of controls is a cookie, small unless chosen", async ({ page }) => {
  await arrive(page);
  await page.goto("/users/user_list");
  const field = page.getByRole("button", { name: "新建用户" });
  const height = async () => Math.round((await field.boundingBox())?.height ?? 0);
  await expect(field).toBeVisible();
  const small = await height();
  await openSettings(page);
  await drawer(page).getByText("宽松").click();
  await expect.poll(height).toBeGreaterThan(small);
  const size = (await page.context().cookies()).find(({ name }) => name === "size");
  expect(size?.value).toBe("large");
  await page.reload();
  await expect.poll(height).toBeGreaterThan(small);
});

test("a damaged entry in the local storage does no harm", async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem("ui_settings", '{"theme":"red","tagsView":"x'));
  await signIn(page);
  expect(await accent(page)).toBe("#166db6");
  await expect(page.getByRole("navigation", { name: "打开的页面" })).toBeVisible();
});
