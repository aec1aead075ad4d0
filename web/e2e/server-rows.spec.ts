// Rows of servers unfold to who is on the machine and how busy its cards were, for both roles and on both pages.
import { showLab } from "./fixtures/shown-lab";
import { arrive, expect, open, test } from "./fixtures/test";

for (const { who, admin, address, heading } of [
  { who: "zhangmin", admin: false, address: "/servers/server_list", heading: "服务器列表" },
  { who: "admin", admin: true, address: "/servers/server_manage", heading: "服务器管理" },
]) {
  test(`U21 a row of ${heading} unfolds by keyboard, and says how old it is`, async ({ api, page }) => {
    await api.user({ username: "zhangmin" });
    await showLab(page, admin);
    await arrive(page, who);
    await open(page, address, heading);
    await expect(page.getByText(/^\d+ 秒前更新$/)).toBeVisible();
    const button = page.getByRole("button", { name: "展开 gpu-a01" });
    await button.press("Enter");
    const holders = page.getByRole("region", { name: "gpu-a01 的使用者" });
    await expect(holders.getByRole("listitem")).toHaveCount(3);
    await expect(holders.getByRole("listitem").first()).toHaveText(
      /^我卡 0、1ins_zhangmin_GPUk3f9xq2ab · 已 \d+ 小时$/,
    );
    const day = page.getByRole("region", { name: "gpu-a01 24 小时利用率" });
    await expect(day.getByText("卡 7", { exact: true })).toBeVisible();
    await expect(day.getByText(/^\d+%$/)).toHaveCount(8);
    await page.getByRole("button", { name: "收起 gpu-a01" }).press("Enter");
    await expect(holders).toBeHidden();
  });
}
