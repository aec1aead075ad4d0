// The portal without a mouse: from the login page to a new user.
import { tabTo } from "./fixtures/keys";
import { adminPassword } from "./fixtures/server";
import { expect, test } from "./fixtures/test";

test("login, menu, new user: by keyboard only, and the focus goes where one goes on", async ({
  page,
  api,
}) => {
  await page.goto("/login");
  await expect(page.getByLabel("用户名")).toBeFocused();
  await page.keyboard.type("admin");
  await tabTo(page, "textbox", "密码");
  await page.keyboard.type(adminPassword);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/dashboard");

  await tabTo(page, "link", "跳到正文");
  await expect(page.getByRole("link", { name: "跳到正文" })).toBeInViewport();
  await tabTo(page, "button", "用户");
  if (
    (await page.getByRole("button", { name: "用户", exact: true }).getAttribute("aria-expanded")) === "false"
  ) {
    await page.keyboard.press("Enter");
  }
  await tabTo(page, "link", "用户列表");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "用户列表" })).toBeFocused();

  await tabTo(page, "button", "新建用户");
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("dialog", { name: "新建用户" });
  await expect(drawer.getByLabel("用户名")).toBeFocused();
  await page.keyboard.type("zhangmin");
  await tabTo(page, "textbox", /^姓名/);
  await page.keyboard.type("张敏");
  await tabTo(page, "textbox", /^邮箱/);
  await page.keyboard.type("zhangmin@example.com");
  await page.keyboard.press("Enter");
  await expect(page.getByText("已创建用户 zhangmin")).toBeVisible();
  await expect(drawer).toBeHidden();
  await expect(page.getByRole("button", { name: "新建用户" })).toBeFocused();
  expect(await api.userNamed("zhangmin")).toMatchObject({ name: "张敏", email: "zhangmin@example.com" });
});

test("a drawer keeps the focus inside, Escape closes it and gives the focus back", async ({ page }) => {
  await page.goto("/login");
  await expect(page.getByLabel("用户名")).toBeFocused();
  await page.keyboard.type("admin");
  await tabTo(page, "textbox", "密码");
  await page.keyboard.type(adminPassword);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/dashboard");
  const settings = page.getByRole("button", { name: "界面设置" });
  await tabTo(page, "button", "界面设置");
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("dialog", { name: "界面设置" });
  await expect(drawer).toBeVisible();
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press("Tab");
    // After the last control the focus is the browser's own for one press, as with a native dialogue.
    const kept = await drawer.evaluate(
      (element) => element.contains(document.activeElement) || document.activeElement === document.body,
    );
    expect(kept, `after ${presses + 1} presses`).toBe(true);
  }
  await page.keyboard.press("Escape");
  await expect(drawer).toBeHidden();
  await expect(settings).toBeFocused();
});
