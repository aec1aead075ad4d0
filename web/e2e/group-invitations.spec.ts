// Leaders invite, people accept, and whoever was not assigned may leave.
import type { Page } from "@playwright/test";
import { chooseEntry } from "./fixtures/menu";
import { arrive, expect, open, phone, test } from "./fixtures/test";

const invitations = (page: Page) => page.getByRole("list", { name: "用户组邀请" });

const accept = (page: Page, group: string) => page.getByRole("button", { name: `接受 ${group} 的邀请` });

test("somebody is told of an invitation, accepts it by the keyboard and leaves again", async ({
  api,
  apiOf,
  page,
  visitor,
}) => {
  const leader = await api.user({ username: "zhangmin", name: "张敏" });
  const member = await api.user({ username: "chenyu", name: "陈宇" });
  const group = await api.group("计算机视觉", { leaders: [leader.id] });
  const hers = await visitor();
  await arrive(hers, "zhangmin");
  await open(hers, `/users/groupmember_list?group=${group.id}`, "组成员");
  await arrive(page, "chenyu");
  await open(page, "/profile/detail", "个人资料");
  await expect(invitations(page)).toHaveCount(0);
  // The page hears of it without being loaded again.
  const bell = page.getByRole("button", { name: /^通知/ });
  await expect(bell).toHaveAccessibleName("通知");
  const zhang = await apiOf("zhangmin");
  await zhang.post(`/api/groups/${group.id}/members`, { users: [member.id] });
  await expect(bell).toHaveAccessibleName("通知，1 条未读");
  await expect(invitations(page)).toContainText("张敏 zhangmin 邀请");
  await expect(page.getByText("组长可以看到和停止你的实例")).toBeVisible();

  await accept(page, "计算机视觉").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("已加入用户组 计算机视觉")).toBeVisible();
  await expect(invitations(page)).toHaveCount(0);
  const own = page.getByRole("list", { name: "我的用户组" });
  await expect(own).toContainText("计算机视觉");
  await expect(hers.getByRole("button", { name: /^通知/ })).toHaveAccessibleName("通知，1 条未读");

  await own.getByRole("button", { name: "退出用户组 计算机视觉" }).focus();
  await page.keyboard.press("Enter");
  const question = page.getByRole("dialog", { name: "退出用户组 计算机视觉？" });
  await expect(question.getByRole("button", { name: "退出" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("已退出用户组 计算机视觉")).toBeVisible();
  await expect(page.getByText("还没有加入用户组")).toBeVisible();
  await expect(hers.getByRole("button", { name: /^通知/ })).toHaveAccessibleName("通知，2 条未读");
});

test("a leader sees whom the group waits for and withdraws; the invitation goes from the other page", async ({
  api,
  apiOf,
  page,
  visitor,
}) => {
  const leader = await api.user({ username: "zhangmin", name: "张敏" });
  const member = await api.user({ username: "chenyu", name: "陈宇" });
  const group = await api.group("计算机视觉", { leaders: [leader.id] });
  const zhang = await apiOf("zhangmin");
  await zhang.post(`/api/groups/${group.id}/members`, { users: [member.id] });
  const his = await visitor();
  await arrive(his, "chenyu");
  // Whoever is in no group yet is asked where groups are.
  await open(his, "/users/groupmember_list", "组成员");
  await expect(invitations(his)).toContainText("计算机视觉");
  await arrive(page, "zhangmin");
  await open(page, "/users/groupmember_list", "组成员");
  const waiting = page.getByRole("list", { name: "待接受的邀请" });
  await expect(waiting.getByRole("listitem")).toContainText("陈宇 chenyu");
  await waiting.getByRole("button", { name: "撤回对 chenyu 的邀请" }).click();
  await expect(page.getByText("已撤回对 陈宇 chenyu 的邀请")).toBeVisible();
  await expect(waiting).toHaveCount(0);
  await expect(invitations(his)).toHaveCount(0);
});

test("who declined is not asked again for a week", async ({ api, apiOf, page, faults }) => {
  faults.expectStatus(409);
  const leader = await api.user({ username: "zhangmin", name: "张敏" });
  const member = await api.user({ username: "chenyu", name: "陈宇" });
  const group = await api.group("计算机视觉", { leaders: [leader.id] });
  const zhang = await apiOf("zhangmin");
  await zhang.post(`/api/groups/${group.id}/members`, { users: [member.id] });
  await arrive(page, "chenyu");
  await open(page, "/profile/detail", "个人资料");
  await page.getByRole("button", { name: "拒绝 计算机视觉 的邀请" }).click();
  await expect(page.getByText("已拒绝，这个组 7 天内不能再邀请你")).toBeVisible();
  expect(await zhang.status("POST", `/api/groups/${group.id}/members`, { users: [member.id] })).toBe(409);
});

test("who was assigned can't leave, and reads why", async ({ api, page }) => {
  const member = await api.user({ username: "chenyu", name: "陈宇" });
  await api.group("计算机视觉", { members: [member.id] });
  await arrive(page, "chenyu");
  await open(page, "/profile/detail", "个人资料");
  await expect(page.getByRole("button", { name: "退出用户组 计算机视觉" })).toBeDisabled();
  await expect(page.getByText("由管理员加入，退出请联系管理员")).toBeVisible();
  await open(page, "/users/groupmember_list", "组成员");
  await page.getByRole("button", { name: "chenyu 的更多操作" }).click();
  await expect(page.getByRole("menuitem", { name: /退出用户组/ })).toHaveAttribute("aria-disabled", "true");
});

test("on a phone an invitation is accepted and left from the members' page", async ({
  api,
  apiOf,
  visitor,
}) => {
  const leader = await api.user({ username: "zhangmin", name: "张敏" });
  const member = await api.user({ username: "chenyu", name: "陈宇" });
  const group = await api.group("计算机视觉与图形学联合课题组", { leaders: [leader.id] });
  const zhang = await apiOf("zhangmin");
  await zhang.post(`/api/groups/${group.id}/members`, { users: [member.id] });
  const page = await visitor(phone);
  await arrive(page, "chenyu");
  await open(page, "/profile/detail", "个人资料");
  const button = accept(page, group.name);
  const box = await button.boundingBox();
  expect(box?.height).toBeGreaterThanOrEqual(44);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await button.click();
  await expect(page.getByText(`已加入用户组 ${group.name}`)).toBeVisible();
  await open(page, "/users/groupmember_list", "组成员");
  await page.getByRole("button", { name: "chenyu 的更多操作" }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "退出用户组" }));
  await page
    .getByRole("dialog", { name: `退出用户组 ${group.name}？` })
    .getByRole("button", { name: "退出" })
    .click();
  await expect(page.getByText("你还不在任何用户组里")).toBeVisible();
});
