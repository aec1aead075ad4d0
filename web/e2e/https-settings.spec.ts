// HTTPS by an ACME server: what is wrong with the form, a server that is away, and what is kept when something fails.
import type { Page } from "@playwright/test";
import type { components } from "@/shared/api/portal";
import { breakCalls, brokenWords } from "./fixtures/refusals";
import { arrive, expect, open, phone, test } from "./fixtures/test";

type Overview = components["schemas"]["HttpsOverview"];

const address = "/api/settings/https";

const off = {
  way: "off",
  names: [],
  port: null,
  redirect: false,
  directory: "",
  email: "",
  caCertificate: "",
  eabKeyId: "",
};

const chooseAcme = (page: Page) => page.getByRole("radio", { name: /自动申请公开的证书/ }).check();

const save = (page: Page) => page.getByRole("button", { name: "保存并申请证书" }).click();

test("what an ACME server needs is asked for at its field", async ({ page, api, faults }) => {
  faults.expectStatus(422);
  await arrive(page);
  await open(page, "/settings/https", "HTTPS");
  await chooseAcme(page);
  const names = page.getByRole("textbox", { name: "域名" });
  await expect(names).toHaveValue("127.0.0.1");
  await page.getByLabel("ACME 服务器").fill("");
  await save(page);
  await expect(page.getByText("请填写 ACME 服务器的目录地址")).toBeVisible();

  await page.getByLabel("ACME 服务器").fill("http://acme.lab.example.cn/directory");
  await page.getByLabel("邮箱").fill("boss@");
  await page.getByLabel("外部账号编号").fill("kid-1");
  await page.getByLabel("服务器的根证书").fill("abc");
  await save(page);
  for (const fault of [
    "127.0.0.1：ACME 只能用于域名，IP 地址请用实验室自己的 CA",
    "应为 https:// 开头的地址",
    "应为邮箱地址",
    "请填写外部账号的密钥",
    "应为 PEM 格式的证书",
  ])
    await expect(page.getByText(fault)).toBeVisible();
  await expect(names).toBeFocused();
  await expect(names).toHaveAttribute("aria-invalid", "true");

  await names.fill("https://lab.example.cn");
  await save(page);
  await expect(page.getByText(/^https:\/\/lab\.example\.cn：应为域名或 IP 地址/)).toBeVisible();
  await names.fill("lab");
  await save(page);
  await expect(page.getByText(/^lab：ACME 只能用于完整的域名/)).toBeVisible();
  expect(await api.get<Overview>(address)).toMatchObject({ way: "off", names: [] });
});

test("an ACME server that is away is told; another administrator has given it up meanwhile", async ({
  page,
  api,
  faults,
}) => {
  faults.expect(/ERR_FAILED/);
  faults.expectStatus(409);
  await arrive(page);
  await open(page, "/settings/https", "HTTPS");
  await chooseAcme(page);
  await page.getByRole("textbox", { name: "域名" }).fill("lab.example.cn");
  // Nobody listens there.
  await page.getByLabel("ACME 服务器").fill("https://127.0.0.1:1/directory");
  await save(page);
  await expect(page.getByText("设置已保存，开始申请证书")).toBeVisible();
  await api.until<Overview>(address, ({ tries }) => !tries.running && tries.failures > 0);
  await page.reload();
  await expect(page.getByText("还没有证书", { exact: true })).toBeVisible();
  await expect(page.getByRole("alert").filter({ hasText: /申请失败 \d+ 次/ })).toBeVisible();
  const retry = page.getByRole("button", { name: "立即重试" });
  await expect(retry).toBeEnabled();

  // What this page saw last stays.
  await page.route(`**${address}`, (route) => route.abort());
  expect(await api.status("PUT", address, off)).toBe(200);
  await retry.click();
  await expect(page.getByText("请先选择证书的来源并保存")).toBeVisible();
  await page.unroute(`**${address}`);
  await page.reload();
  await expect(page.getByText("没有 HTTPS", { exact: true })).toBeVisible();
  await expect(retry).toBeHidden();
});

test("what could not be saved is still there, also on a phone", async ({ visitor, api, faults }) => {
  faults.expectStatus(500);
  const page = await visitor(phone);
  await arrive(page);
  const answer = await breakCalls(page, `**${address}`);
  await open(page, "/settings/https", "HTTPS");
  await expect(page.getByText("HTTPS 的状态没有取到")).toBeVisible();
  await answer();
  await page.getByRole("button", { name: "重试" }).tap();
  await chooseAcme(page);
  await page.getByRole("textbox", { name: "域名" }).fill("lab.example.cn");
  const accept = await breakCalls(page, `**${address}`, "PUT");
  await save(page);
  await expect(page.getByText(brokenWords)).toBeVisible();
  await expect(page.getByRole("textbox", { name: "域名" })).toHaveValue("lab.example.cn");
  await expect(page.getByRole("radio", { name: /自动申请公开的证书/ })).toBeChecked();
  await accept();
  expect(await api.get<Overview>(address)).toMatchObject({ way: "off" });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);

  await page.getByRole("button", { name: "展开菜单" }).tap();
  await page.locator("#side-menu").getByRole("link", { name: "基本设置" }).tap();
  const question = page.getByRole("dialog", { name: "放弃未保存的修改？" });
  await question.getByRole("button", { name: "放弃" }).tap();
  await expect(page).toHaveURL("/settings/basic_setting");
});
