// What administrators tell everybody on the dashboard.
import { arrive, expect, open, test } from "./fixtures/test";

test("an announcement is on everybody's dashboard at once, and goes when it is deleted", async ({
  api,
  page,
  visitor,
}) => {
  await api.user({ username: "zhangmin" });
  const reader = await visitor();
  await arrive(reader, "zhangmin");
  // Before anything is announced, so that only the broadcast can bring it.
  const listening = reader.waitForEvent("websocket");
  await open(reader, "/dashboard", "首页");
  await listening;

  await arrive(page);
  await open(page, "/dashboard", "首页");
  await page.getByRole("button", { name: "发公告" }).click();
  const writing = page.getByRole("dialog", { name: "发公告" });
  await writing.getByLabel("标题").fill("周五 18:00 停机维护");
  await writing.getByLabel("内容").fill("请提前保存。\n实例会停止。");
  await writing.getByRole("checkbox").check();
  await writing.getByRole("button", { name: "发布" }).click();
  await expect(reader.getByText("周五 18:00 停机维护")).toBeVisible();
  await expect(reader.getByRole("button", { name: "发公告" })).toHaveCount(0);

  await page.getByRole("button", { name: "周五 18:00 停机维护 的更多操作" }).click();
  await page.getByRole("menuitem", { name: "编辑" }).click();
  const editing = page.getByRole("dialog", { name: "编辑公告" });
  await editing.getByLabel("标题").fill("维护改到周六");
  await editing.getByRole("button", { name: "保存" }).click();
  await expect(reader.getByText("维护改到周六")).toBeVisible();

  await page.getByRole("button", { name: "维护改到周六 的更多操作" }).click();
  await page.getByRole("menuitem", { name: "删除" }).click();
  await page
    .getByRole("dialog", { name: /^删除公告/ })
    .getByRole("button", { name: "删除" })
    .click();
  await expect(page.getByText("没有公告")).toBeVisible();
  await expect(reader.getByRole("heading", { name: "公告" })).toHaveCount(0);
});
