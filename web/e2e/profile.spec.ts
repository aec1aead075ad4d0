// The personal centre: details, password, about.
import { userPassword } from "./fixtures/api";
import { arrive, enter, expect, fillLogin, givePassword, open, test } from "./fixtures/test";

test("S011 one's own details are shown and changed, the name in the top bar too", async ({ page, api }) => {
  const group = await api.group("计算机视觉");
  await api.user({ username: "zhangmin", name: "张敏", groups: [group.id] });
  await arrive(page, "zhangmin");
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
  await arrive(page);
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
  await enter(elsewhere, "zhangmin");
  await arrive(page, "zhangmin");
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

  // It may have noticed by itself.
  await elsewhere.goto("/profile/about");
  await expect(elsewhere).toHaveURL(/\/login\?redirect=/);

  await fillLogin(page, "zhangmin", "lab2026a");
  await expect(page.getByRole("main").getByRole("alert")).toHaveText("用户名或密码错误");
  await fillLogin(page, "zhangmin", "fresh2026");
  await expect(page).toHaveURL("/dashboard");
});

for (const [size, viewport] of [
  ["wide", { width: 1440, height: 900 }],
  ["narrow", { width: 390, height: 844 }],
] as const) {
  test(`faults that come and go leave the button where it is: ${size}`, async ({ page, api }) => {
    await api.user({ username: "zhangmin" });
    await page.setViewportSize(viewport);
    await arrive(page, "zhangmin");
    await open(page, "/profile/password", "修改密码");
    const main = page.getByRole("main");
    const submit = main.getByRole("button", { name: "修改密码" });
    const top = async () => (await submit.boundingBox())?.y;
    await expect(submit).toBeVisible();
    const before = await top();
    await submit.click();
    for (const fault of ["请输入原密码", "请输入新密码", "请再输一次新密码"])
      await expect(main.getByText(fault, { exact: true })).toBeVisible();
    expect(await top()).toBe(before);
    for (const name of ["原密码", "新密码", "再输一次"])
      await main.getByRole("textbox", { name }).fill("fresh2026");
    await expect(main.getByText("请输入原密码", { exact: true })).toBeHidden();
    expect(await top()).toBe(before);
  });
}

test("S014 S028 S197 S333 S337 the about page says product, version, links and copyright", async ({
  page,
  api,
}) => {
  await api.changeBasic({
    productName: "深度学习实验室",
    copyright: "© 2026 计算所",
    faqLink: "https://faq.example.com/",
  });
  await arrive(page);
  const asked = page.waitForResponse("**/api/update");
  await page.goto("/profile/about");
  expect(await (await asked).json()).toMatchObject({ version: "4.3.29", latestversion: "4.3.29" });
  const main = page.getByRole("main");
  await expect(main).toContainText("深度学习实验室");
  await expect(main).toContainText("4.3.29");
  await expect(main).toContainText("© 2026 计算所");
  await expect(main.getByRole("link", { name: "常见问题" })).toHaveAttribute(
    "href",
    "https://faq.example.com/",
  );
});

test("the about page has the software of others with its licences, on a phone too", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await arrive(page);
  await page.goto("/profile/about?q=pdfjs-dist");
  const list = page.getByRole("list", { name: "第三方软件" });
  await expect(list.getByRole("listitem")).toHaveText([/^pdfjs-dist\s*\d+\.\d+\.\d+\s*Apache-2\.0$/]);
  await list.getByText("pdfjs-dist").click();
  await expect(list).toContainText("TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(wide).toBeLessThanOrEqual(0);
  await page.getByRole("searchbox", { name: "搜索名称或许可证" }).fill("axum crates.io");
  await expect(list.getByText("axum", { exact: true })).toBeVisible();
});

test("an access token is shown once, opens what it says, and is revoked", async ({
  page,
  api,
  request,
  faults,
}) => {
  faults.expectStatus(401, 403, 422);
  await api.user({ username: "zhangmin" });
  await arrive(page, "zhangmin");
  await open(page, "/profile/detail", "个人资料");
  await page.getByRole("button", { name: "新建访问令牌" }).click();
  const drawer = page.getByRole("dialog", { name: "新建访问令牌" });
  await drawer.getByLabel("用途").fill("夜间备份");
  await drawer.getByRole("button", { name: "创建" }).click();
  await givePassword(page, userPassword);
  const shown = page.getByRole("dialog", { name: "访问令牌 夜间备份" });
  const token = await shown.locator("code").textContent();
  const headers = { authorization: `Bearer ${token}` };
  const list = () => request.get("/disk/api/resources/home/", { headers });
  expect((await list()).status()).toBe(200);
  expect((await request.post("/disk/api/resources/home/a/", { headers })).status()).toBe(403);
  await page.keyboard.press("Escape");
  await expect(shown).toBeVisible();
  await shown.getByRole("button", { name: "已经保存好了" }).click();
  await expect(shown).toBeHidden();

  const mine = page.getByRole("list", { name: "访问令牌" });
  await expect(mine.getByRole("listitem")).toHaveText(/夜间备份只读/);
  await mine.getByRole("button", { name: "撤销 夜间备份" }).click();
  await page
    .getByRole("dialog", { name: "撤销访问令牌 夜间备份？" })
    .getByRole("button", { name: "撤销" })
    .click();
  await expect(page.getByText("还没有访问令牌")).toBeVisible();
  expect((await list()).status()).toBe(401);
});

test("the API documents are read without signing in, and nothing comes from elsewhere", async ({
  page,
  baseURL,
}) => {
  const elsewhere: string[] = [];
  page.on("request", (one) => {
    if (!one.url().startsWith(`${baseURL}/`) && !one.url().startsWith("data:")) elsewhere.push(one.url());
  });
  await open(page, "/api/docs", "接口文档");
  await page.getByRole("searchbox", { name: "搜索接口" }).fill("/api/worksheets post");
  await expect(page).toHaveURL(/\?q=/);
  await page.locator("#worksheets_create").getByText("/api/worksheets", { exact: true }).click();
  await expect(page.getByText("登录的人；访问令牌需要这些权限之一：全部")).toBeVisible();
  await expect(page.getByText('-d \'{"content"')).toBeVisible();
  await open(page, "/api/docs#createUpload", "接口文档");
  await expect(page.locator("#createUpload")).toBeInViewport();
  await expect(page.getByText("Upload-Length", { exact: true })).toBeVisible();
  for (const name of ["portal", "disk"]) {
    const answer = await page.request.get(`/api/openapi/${name}.json`);
    expect(answer.headers()["content-type"]).toBe("application/json");
    expect(Object.keys(await answer.json())).toContain("paths");
  }
  expect(elsewhere).toEqual([]);
});
