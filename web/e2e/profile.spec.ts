// The personal centre: details, password, about.
import { expect, fillLogin, open, signIn, test } from "./fixtures/test";

test("S011 one's own details are shown and changed, the name in the top bar too", async ({ page, api }) => {
  const group = await api.group("计算机视觉");
  await api.user({ username: "zhangmin", name: "张敏", groups: [group.id] });
  await signIn(page, "zhangmin");
  await open(page, "/profile/detail", "个人资料");
  await expect(page.getByRole("main")).toContainText("计算机视觉");
  await page.getByLabel("姓名").fill("张敏敏");
  await page.getByLabel("邮箱").fill("zhangmin@example.com");
  await page.getByLabel("手机").fill("13800000001");
  await page.getByRole("button", { name: "保存" }).click();
  await expect(page.getByText("已保存")).toBeVisible();
  await expect(page.getByRole("button", { name: "张敏敏，账号菜单" })).toBeVisible();
  expect(await api.userNamed("zhangmin")).toMatchObject({ name: "张敏敏", phone: "13800000001" });
});

test("S257 S258 wrong contact data are refused at their fields", async ({ page }) => {
  await signIn(page);
  await open(page, "/profile/detail", "个人资料");
  await page.getByLabel("邮箱").fill("not an address");
  await page.getByLabel("手机").fill("12800000001");
  await page.getByRole("button", { name: "保存" }).click();
  await expect(page.getByText("邮箱格式不正确")).toBeVisible();
  await expect(page.getByText("请输入 11 位手机号")).toBeVisible();
});

test("S012 S255 S260 the password is changed, which ends the session everywhere", async ({
  page,
  api,
  visitor,
  faults,
}) => {
  faults.expectStatus(401, 422);
  await api.user({ username: "zhangmin" });
  const elsewhere = await visitor();
  await signIn(elsewhere, "zhangmin");
  await signIn(page, "zhangmin");
  await open(page, "/profile/password", "修改密码");
  const main = page.getByRole("main");
  const submit = main.getByRole("button", { name: "修改密码" });

  await main.getByRole("textbox", { name: "原密码" }).fill("wrong2026");
  await main.getByRole("textbox", { name: "新密码" }).fill("short");
  await main.getByRole("textbox", { name: "再输一次" }).fill("other");
  await submit.click();
  await expect(main.getByText("密码不一致")).toBeVisible();
  await expect(main.getByText("6–30 位，至少一个字母和一个数字").first()).toBeVisible();

  await main.getByRole("textbox", { name: "新密码" }).fill("fresh2026");
  await main.getByRole("textbox", { name: "再输一次" }).fill("fresh2026");
  await submit.click();
  await expect(main.getByText("原密码错误")).toBeVisible();

  await main.getByRole("textbox", { name: "原密码" }).fill("lab2026a");
  await submit.click();
  await expect(page.getByText("密码已修改，请重新登录")).toBeVisible();
  await expect(page).toHaveURL("/login");

  await elsewhere.locator("#side-menu").getByRole("link", { name: "4.3.29" }).click();
  await elsewhere.getByRole("button", { name: "用户", exact: true }).click();
  await elsewhere.getByRole("link", { name: "组成员" }).click();
  await expect(elsewhere).toHaveURL(/\/login\?redirect=/);

  await fillLogin(page, "zhangmin", "lab2026a");
  await expect(page.getByRole("main").getByRole("alert")).toHaveText("用户名或密码错误");
  await fillLogin(page, "zhangmin", "fresh2026");
  await expect(page).toHaveURL("/dashboard");
});

test("S014 S028 S337 the about page says product, version, links and copyright", async ({ page, api }) => {
  await api.changeBasic({
    productName: "深度学习实验室",
    copyright: "© 2026 计算所",
    faqLink: "https://faq.example.com/",
  });
  await signIn(page);
  await page.goto("/profile/about");
  const main = page.getByRole("main");
  await expect(main).toContainText("深度学习实验室");
  await expect(main).toContainText("4.3.29");
  await expect(main).toContainText("© 2026 计算所");
  await expect(main.getByRole("link", { name: "常见问题" })).toHaveAttribute(
    "href",
    "https://faq.example.com/",
  );
});
