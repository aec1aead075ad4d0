// HTTPS by a CA of the lab: set up on the page, and installed by people who are not signed in.
import { Server } from "./fixtures/server";
import { arrive, test as base, expect, open, phone } from "./fixtures/test";

const test = base.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants the pattern of the fixtures that are used
  server: async ({}, provide) => {
    const server = await Server.start({ environment: { YUNLAB_HTTPS_LISTEN: "127.0.0.1:0" } });
    await provide(server);
    await server.stop();
  },
});

const form = {
  way: "lab_ca",
  names: ["127.0.0.1"],
  port: null,
  redirect: false,
  directory: "",
  email: "",
  caCertificate: "",
  eabKeyId: "",
};

interface Overview {
  certificate: { served: boolean } | null;
}

const isServed = ({ certificate }: Overview) => certificate?.served === true;

test("an administrator gives the portal a certificate of the lab's own CA", async ({ page }) => {
  await arrive(page);
  await open(page, "/settings/https", "HTTPS");
  await expect(page.getByText("没有 HTTPS", { exact: true })).toBeVisible();
  await page.getByRole("radio", { name: /实验室自己的 CA/ }).check();
  await expect(page.getByRole("textbox", { name: "域名" })).toHaveValue("127.0.0.1");
  await page.getByRole("button", { name: "保存并申请证书" }).click();
  await expect(page.getByText("HTTPS 可用", { exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText(/还有 39[56] 天/)).toBeVisible();
  await page.getByRole("button", { name: "检查域名" }).click();
  const checks = page.getByRole("region", { name: "127.0.0.1 的检查结果" });
  await expect(checks.getByText(/可以打开，证书可信/)).toBeVisible();
});

test("people see whether their browser trusts the CA, and get it for their system", async ({
  api,
  faults,
  page,
  visitor,
}) => {
  expect(await api.status("PUT", "/api/settings/https", form)).toBe(200);
  await api.until<Overview>("/api/settings/https", isServed);
  faults.expect(/net::ERR_CERT_AUTHORITY_INVALID/);
  await open(page, "/lab-ca", "安装实验室证书");
  await expect(page.getByText("这个浏览器还不信任实验室的证书")).toBeVisible();
  const download = page.waitForEvent("download");
  await page
    .getByRole("link", { name: /下载 lab-ca\.pem/ })
    .first()
    .click();
  expect((await download).suggestedFilename()).toBe("lab-ca.pem");

  // A browser that distrusts no certificate stands for one that trusts this one.
  const trusting = await visitor({ ...phone, ignoreHTTPSErrors: true });
  await open(trusting, "/lab-ca", "安装实验室证书");
  await expect(trusting.getByText("这个浏览器已经信任实验室的证书")).toBeVisible();
  const wide = await trusting.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  expect(wide, "nothing sticks out at 390 px").toBe(false);
  await trusting.getByRole("link", { name: "用 HTTPS 打开" }).click();
  await expect(trusting).toHaveURL(/^https:/);
});
