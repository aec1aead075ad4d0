// Errors of the page: the bell, its page, and what stands in a page's place when its files do not come.
import { enter, expect, open, test } from "./fixtures/test";

test("S093 S201 S418 the bell is there only after an error, and leads to what happened", async ({
  page,
  faults,
}) => {
  faults.expect(/镜像仓库连不上/);
  await enter(page);
  const bell = page.getByRole("link", { name: /^错误日志，/ });
  await expect(bell).toHaveCount(0);
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error("镜像仓库连不上");
    });
  });
  await expect(bell).toHaveAccessibleName("错误日志，1 条");
  await bell.click();
  await expect(page).toHaveURL("/error-log/log");
  const row = page.getByRole("row", { name: /镜像仓库连不上/ });
  await expect(row).toContainText("window");
  await expect(row).toContainText("未捕获的错误");
  await expect(row).toContainText("/dashboard");
  await page.getByRole("button", { name: "清空" }).click();
  await expect(page.getByText("没有错误")).toBeVisible();
  await expect(bell).toHaveCount(0);
});

test("S392 a failing version fetch is logged and nothing else", async ({ page, faults }) => {
  faults.expectStatus(500);
  faults.expect(/GET \/api\/update/);
  await page.route("**/api/update", (route) => route.fulfill({ status: 500, json: { message: "坏了" } }));
  await enter(page);
  await expect(page.getByRole("link", { name: "错误日志，1 条" })).toBeVisible();
  await expect(page.getByText("坏了")).toHaveCount(0);
});

test("a page whose files were broken off once is shown all the same", async ({ page, faults }) => {
  faults.expect(/net::ERR_(FAILED|CONNECTION_ABORTED)/);
  await enter(page);
  await page.route("**/assets/LoginLogPage-*.js", (route) => route.abort("connectionaborted"), { times: 1 });
  await page.getByRole("button", { name: "日志", exact: true }).click();
  await page.getByRole("link", { name: "登录日志", exact: true }).first().click();
  await expect(page.getByRole("table", { name: "登录日志" })).toBeVisible();
});

test("S388 a list that cannot be fetched says why, names the request and can be tried again", async ({
  page,
  faults,
}) => {
  faults.expectStatus(500);
  await enter(page);
  await page.route("**/api/groups?*", (route) =>
    route.fulfill({
      status: 500,
      json: { code: "internal", message: "服务器内部错误", fields: [], request_id: "0123456789abcdef" },
      headers: { "x-request-id": "0123456789abcdef" },
    }),
  );
  await open(page, "/users/group_list", "用户组列表");
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("用户组列表没有取到");
  await expect(alert).toContainText("服务器内部错误");
  await expect(alert).toContainText("0123456789abcdef");
  await page.unroute("**/api/groups?*");
  await alert.getByRole("button", { name: "重试" }).click();
  await expect(page.getByText("还没有用户组")).toBeVisible();
});
