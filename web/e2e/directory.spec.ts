// Signing in with the lab's directory: set up, tried out and switched on in the settings, then used by its people.
import { Directory } from "./fixtures/directory";
import { arrive, test as base, expect, fillLogin, open, signIn } from "./fixtures/test";

const test = base.extend<{ directory: Directory }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern what a fixture needs
  directory: async ({}, provide) => {
    const directory = await Directory.start();
    await provide(directory);
    await directory.stop();
  },
});

test("S023 S339 a directory is tried out, switched on, and lets its people in", async ({
  page,
  visitor,
  faults,
  directory,
}) => {
  // Six sign-ins and as many tries of the settings.
  test.setTimeout(120_000);
  // An expired account, a wrong password, settings that lack something; a directory that is down.
  faults.expectStatus(422, 503);
  await arrive(page);
  await open(page, "/settings/auth_setting", "认证设置");
  const result = page.getByRole("region", { name: "测试结果" });
  const tryOut = page.getByRole("button", { name: "测试连接" });
  await page.getByLabel("目录地址").fill(directory.url);
  await expect(page.getByText("密码会以明文经过网络")).toBeVisible();
  await page.getByLabel("绑定账号").fill(Directory.reader);
  await page.getByLabel("绑定密码").fill("wrong");
  await tryOut.click();
  await expect(page.getByText("请添加至少一处查找范围")).toBeVisible();
  await page.getByRole("button", { name: "添加查找范围" }).click();
  await page.getByLabel("查找范围第 1 行，起点").fill("ou=people,dc=lab");
  await page.getByLabel("手机属性").fill("mobile");
  await tryOut.click();
  await expect(result).toContainText("绑定账号或密码不正确");
  // Nobody has to look for it under the bar with the buttons.
  await expect(result).toBeInViewport({ ratio: 1 });
  const [end, bar] = await Promise.all([
    result.boundingBox(),
    page.getByRole("button", { name: "保存", exact: true }).boundingBox(),
  ]);
  expect((end?.y ?? 0) + (end?.height ?? 0)).toBeLessThan(bar?.y ?? 0);

  await page.getByLabel("绑定密码").fill(Directory.readerPassword);
  await expect(result).toContainText("设置在测试之后又改过");
  await page.getByLabel("测试", { exact: true }).fill("zhangmin");
  await page.getByLabel("测试", { exact: true }).press("Enter");
  await expect(result).toContainText("但没有打开“首次登录建账号”");
  await page.getByRole("switch", { name: "首次登录建账号" }).click();
  await tryOut.click();
  await expect(result).toContainText("测试通过");
  await expect(result).toContainText("cn=张敏,ou=people,dc=lab");
  await expect(result).toContainText("13800138000");
  await page.getByRole("switch", { name: "启用目录登录" }).click();
  await page.getByRole("button", { name: "保存", exact: true }).click();
  await expect(page.getByText("设置已保存")).toBeVisible();
  await expect(page.getByLabel("绑定密码")).toHaveValue("");

  const theirs = await visitor();
  await theirs.goto("/login");
  await fillLogin(theirs, "guolei", Directory.password);
  await expect(theirs.getByText("账号在目录服务中已过期，请联系管理员")).toBeVisible();
  await fillLogin(theirs, "zhangmin", "wrong1");
  await expect(theirs.getByText("用户名或密码错误")).toBeVisible();
  await signIn(theirs, "zhangmin", Directory.password);
  await open(theirs, "/profile/password", "修改密码");
  await expect(theirs.getByText("这个账号的密码不在这里")).toBeVisible();

  await directory.stop();
  await signIn(await visitor());
  const late = await visitor();
  await late.goto("/login");
  await fillLogin(late, "zhangmin", Directory.password);
  await expect(late.getByText("连接不上目录服务，请稍后再试或联系管理员")).toBeVisible();
});
