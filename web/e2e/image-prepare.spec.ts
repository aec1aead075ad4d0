// 准备镜像: commands to copy, for administrators and for those who ask one.
import { arrive, expect, open, phone, test } from "./fixtures/test";

test("an administrator copies a command and goes on to the public library's address", async ({
  page,
  context,
  server,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.origin });
  await arrive(page);
  await open(page, "/images/image_prepare", "准备镜像");
  await page
    .getByRole("button", { name: /^复制命令：重新载入 Docker/ })
    .first()
    .focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("已复制", { exact: true })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("systemctl reload docker");
  await page.getByRole("link", { name: "设置公共镜像库" }).click();
  await expect(page).toHaveURL("/settings/basic_setting");
});

test("everybody else is told who runs the commands, also on a phone", async ({ api, visitor }) => {
  await api.user({ username: "zhangmin" });
  const page = await visitor(phone);
  await arrive(page, "zhangmin");
  await open(page, "/images/image_prepare", "准备镜像");
  await expect(page.getByText(/下面的命令要管理员在服务器上运行/)).toBeVisible();
  await expect(page.getByRole("link", { name: "设置公共镜像库" })).toBeHidden();
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  await page.getByRole("main").getByRole("link", { name: "镜像管理" }).tap();
  await expect(page).toHaveURL("/images/image_manage");
});
