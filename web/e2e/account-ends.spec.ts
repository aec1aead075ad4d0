// What ends by itself: accounts after their last day, and quotas that are granted for a time.
import type { Page } from "@playwright/test";
import { giveDay } from "./fixtures/days";
import { chooseEntry } from "./fixtures/menu";
import { breakCalls, brokenWords } from "./fixtures/refusals";
import { arrive, expect, open, phone, test } from "./fixtures/test";

const row = (page: Page, name: string) =>
  page.getByRole("table", { name: "用户列表" }).getByRole("row", { name: new RegExp(name) });

async function openUsers(page: Page): Promise<void> {
  await arrive(page);
  await open(page, "/users/user_list", "用户列表");
}

async function act(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `${name} 的更多操作` }).click();
  await chooseEntry(page.getByRole("menuitem", { name: action }));
}

test("quotas for a time are granted to several, taken back from one, and made lasting for another", async ({
  page,
  api,
}) => {
  for (const username of ["user1", "user2"]) await api.user({ username, GPUNumlimit: 2 });
  await openUsers(page);
  for (const username of ["user1", "user2"])
    await page.getByRole("checkbox", { name: `选择 ${username}` }).check();
  await page.getByRole("region", { name: "批量操作" }).getByRole("button", { name: "调整配额" }).click();
  const drawer = page.getByRole("dialog", { name: "调整 2 人的配额" });
  await drawer.getByLabel("显卡", { exact: true }).fill("8");
  await giveDay(drawer.getByLabel("有效到"), "2060-01-31");
  await drawer.getByRole("button", { name: "调整", exact: true }).click();
  await expect(page.getByText("已调整 2 人的配额")).toBeVisible();
  await expect(drawer).toBeHidden();
  for (const username of ["user1", "user2"]) {
    await expect(row(page, username)).toContainText("临时配额到 2060-01-31");
    // The day itself still belongs to it.
    expect(await api.userNamed(username)).toMatchObject({
      GPUNumlimit: 8,
      temporaryQuotas: { until: "2060-01-31T15:59:59.999Z", before: { GPUNumlimit: 2 } },
    });
  }

  await act(page, "user1", "恢复原来的配额");
  await expect(page.getByText("已恢复原来的配额")).toBeVisible();
  await expect(row(page, "user1")).not.toContainText("临时配额");
  expect(await api.userNamed("user1")).toMatchObject({ GPUNumlimit: 2 });
  await act(page, "user2", "临时配额改为长期");
  await expect(page.getByText("临时配额已改为长期有效")).toBeVisible();
  await expect(row(page, "user2")).not.toContainText("临时配额");
  const lasting = await api.userNamed("user2");
  expect(lasting?.GPUNumlimit).toBe(8);
  expect(lasting?.temporaryQuotas ?? null).toBeNull();
});

test("quotas that another administrator has ended meanwhile", async ({ page, api, faults }) => {
  faults.expectStatus(409);
  const { id } = await api.user({ username: "zhangmin", GPUNumlimit: 2 });
  const at = `/api/users/${id}/temporary-quotas`;
  const grant = { GPUNumlimit: 8, until: "2060-01-31T15:59:59.999Z" };
  expect(await api.status("PUT", at, grant)).toBe(200);
  await openUsers(page);
  await expect(row(page, "zhangmin")).toContainText("临时配额到 2060-01-31");
  expect(await api.status("DELETE", at)).toBe(200);
  await act(page, "zhangmin", "临时配额改为长期");
  await expect(page.getByText("临时配额已经结束，请刷新后再看")).toBeVisible();
  await expect(row(page, "zhangmin")).not.toContainText("临时配额");
  expect(await api.userNamed("zhangmin")).toMatchObject({ GPUNumlimit: 2 });
});

test("a last day is kept for another try when it could not be saved, changed, and taken away", async ({
  page,
  api,
  faults,
}) => {
  faults.expectStatus(500);
  await api.user({ username: "zhangmin", name: "张敏" });
  await openUsers(page);
  const edit = row(page, "zhangmin").getByRole("button", { name: "编辑" });
  const drawer = page.getByRole("dialog", { name: "编辑用户 zhangmin" });
  await edit.click();
  await giveDay(drawer.getByLabel("到期日"), "2060-12-31");
  const mend = await breakCalls(page, "**/api/users/*/end", "PUT");
  await drawer.getByRole("button", { name: "保存" }).click();
  await expect(drawer.getByText(brokenWords)).toBeVisible();
  await expect(drawer.getByLabel("到期日")).toHaveValue("2060-12-31");
  await mend();
  await drawer.getByRole("button", { name: "保存" }).click();
  await expect(page.getByText("已保存")).toBeVisible();
  await expect(row(page, "zhangmin")).toContainText("2060-12-31 到期");
  expect((await api.userNamed("zhangmin"))?.endsAt).toBe("2060-12-31T15:59:59.999Z");

  await edit.click();
  await expect(drawer.getByLabel("到期日")).toHaveValue("2060-12-31");
  await drawer.getByLabel("到期日").hover();
  await drawer.getByRole("button", { name: "清除" }).click();
  await expect(drawer.getByLabel("到期日")).toHaveValue("");
  await drawer.getByRole("button", { name: "保存" }).click();
  await expect(drawer).toBeHidden();
  await expect(row(page, "zhangmin")).not.toContainText("到期");
  expect((await api.userNamed("zhangmin"))?.endsAt ?? null).toBeNull();
});

test("one's own account has no last day; a person sees when theirs ends, on a phone too", async ({
  page,
  api,
  visitor,
}) => {
  const { id } = await api.user({ username: "zhangmin" });
  const end = "2060-12-31T15:59:59.999Z";
  expect(await api.status("PUT", `/api/users/${id}/end`, { end })).toBe(200);
  await openUsers(page);
  await row(page, "admin").getByRole("button", { name: "编辑" }).click();
  const drawer = page.getByRole("dialog", { name: "编辑用户 admin" });
  await expect(drawer.getByLabel("姓名")).toBeVisible();
  await expect(drawer.getByLabel("到期日")).toBeHidden();

  const theirs = await visitor(phone);
  await arrive(theirs, "zhangmin");
  await theirs.goto("/profile/detail");
  await expect(theirs.getByText("2060-12-31 23:59:59，之后不能登录")).toBeVisible();
  const overflow = await theirs.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});
