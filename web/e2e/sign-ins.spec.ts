// Where people are signed in, and the password that is asked for again.
import { adminPassword } from "./fixtures/server";
import { arrive, enter, expect, open, signIn, test } from "./fixtures/test";

test("a person sees their devices, ends one and then all others", async ({ page, api, visitor, faults }) => {
  // What the devices that are signed out still ask.
  faults.expectStatus(401);
  await api.user({ username: "zhangmin" });
  await enter(page, "zhangmin");
  const userAgent = "Mozilla/5.0 (Windows NT 10.0; rv:150.0) Gecko/20100101 Firefox/150.0";
  const [second, third] = [await visitor({ userAgent }), await visitor({ userAgent })];
  for (const other of [second, third]) await enter(other, "zhangmin");
  await open(page, "/profile/detail", "个人资料");
  const devices = page.getByRole("list", { name: "登录设备" });
  await expect(devices.getByRole("listitem")).toHaveCount(3);
  await expect(devices.getByRole("listitem").filter({ hasText: "本机" })).toHaveCount(1);
  await expect(devices.getByText("Firefox 150 · Windows")).toHaveCount(2);

  await devices
    .getByRole("button", { name: /^退出 Firefox/ })
    .first()
    .click();
  const question = page.getByRole("dialog", { name: "退出 Firefox 150 · Windows？" });
  await question.getByRole("button", { name: "退出" }).click();
  await expect(page.getByText("已退出 Firefox 150 · Windows")).toBeVisible();
  await expect(devices.getByRole("listitem")).toHaveCount(2);

  await page.getByRole("button", { name: "退出其他设备" }).click();
  await page.getByRole("dialog", { name: "退出其他设备？" }).getByRole("button", { name: "退出" }).click();
  await expect(page.getByText("已退出 1 台设备")).toBeVisible();
  await expect(devices.getByRole("listitem")).toHaveCount(1);
  await expect(page.getByRole("button", { name: "退出其他设备" })).toBeDisabled();
  for (const other of [second, third]) {
    await other.goto("/profile/detail");
    await expect(other.getByRole("button", { name: "登录", exact: true })).toBeVisible();
  }
});

test("an administrator sees where somebody is signed in, and signs them out", async ({
  page,
  api,
  visitor,
  faults,
}) => {
  faults.expectStatus(401);
  await api.user({ username: "zhangmin" });
  const hers = await visitor();
  await enter(hers, "zhangmin");
  await arrive(page);
  await open(page, "/users/user_list", "用户列表");
  const row = page.getByRole("row", { name: /zhangmin/ });
  await row.getByRole("button", { name: /更多/ }).click();
  await page.getByRole("menuitem", { name: "登录设备" }).click();
  const drawer = page.getByRole("dialog", { name: "登录设备 zhangmin" });
  await expect(drawer.getByRole("listitem")).toHaveCount(1);
  await drawer.getByRole("button", { name: "全部退出" }).click();
  await page.getByRole("dialog", { name: "全部退出？" }).getByRole("button", { name: "退出" }).click();
  await expect(drawer.getByText("没有在任何设备上登录")).toBeVisible();
  await hers.goto("/profile/detail");
  await expect(hers.getByRole("button", { name: "登录", exact: true })).toBeVisible();
});

test("the password is asked for before a key is made, and not again for a while", async ({
  page,
  faults,
}) => {
  faults.expectStatus(422);
  await signIn(page);
  await open(page, "/profile/detail", "个人资料");
  const make = async (name: string) => {
    await page.getByRole("button", { name: "新建应用密码" }).click();
    const drawer = page.getByRole("dialog", { name: "新建应用密码" });
    await drawer.getByRole("textbox", { name: /用途/ }).fill(name);
    await drawer.getByRole("button", { name: "创建" }).click();
  };
  await make("笔记本");
  const question = page.getByRole("dialog", { name: "请再输入一次登录密码" });
  await expect(question.getByLabel("登录密码")).toBeFocused();
  await page.keyboard.type("wrong-password1");
  await page.keyboard.press("Enter");
  await expect(question.getByRole("alert")).toHaveText("密码错误");
  await page.keyboard.type(adminPassword);
  await page.keyboard.press("Enter");
  const shown = page.getByRole("dialog", { name: "应用密码 笔记本" });
  await shown.getByRole("button", { name: "已经保存好了" }).click();
  await expect(page.getByRole("list", { name: "应用密码" }).getByText("笔记本")).toBeVisible();
  await make("台式机");
  await page.getByRole("dialog", { name: "应用密码 台式机" }).getByRole("button").last().click();
  await expect(page.getByRole("list", { name: "应用密码" }).getByRole("listitem")).toHaveCount(2);
});

test("who gives no password makes no key, and loses nothing of the form", async ({ page, faults }) => {
  faults.expectStatus(422);
  await enter(page);
  await open(page, "/profile/detail", "个人资料");
  await page.getByRole("button", { name: "新建应用密码" }).click();
  const drawer = page.getByRole("dialog", { name: "新建应用密码" });
  await drawer.getByRole("textbox", { name: /用途/ }).fill("笔记本");
  await drawer.getByRole("textbox", { name: "文件夹" }).fill("/home/admin");
  await drawer.getByRole("button", { name: "创建" }).click();
  await page
    .getByRole("dialog", { name: "请再输入一次登录密码" })
    .getByRole("button", { name: "取消" })
    .click();
  await expect(drawer.getByText("请再输入一次登录密码，确认是您本人")).toBeVisible();
  await expect(drawer.getByRole("textbox", { name: /用途/ })).toHaveValue("笔记本");
  await expect(drawer.getByRole("textbox", { name: "文件夹" })).toHaveValue("/home/admin");
});
