// Groups: administrators keep them, leaders look after their members, members see who is there.
import type { Page } from "@playwright/test";
import { chooseEntry } from "./fixtures/menu";
import { arrive, expect, expectNoList, open, phone, pick, test } from "./fixtures/test";

const row = (page: Page, name: string) => page.getByRole("row", { name: new RegExp(name) });

/** Chooses people in a picker by searching for them. */
async function choosePerson(
  page: Page,
  field: ReturnType<Page["getByLabel"]>,
  search: string,
  shown: string,
) {
  const entries = page.locator(".ant-select-item-option").filter({ visible: true });
  await field.fill(search);
  // The list as it was before the search moves away under the pointer.
  await expect(entries).toHaveText([shown]);
  await entries.click();
  await expect(field).toHaveValue("");
  // A person sees the whole list again before going on.
  await expect(entries).not.toHaveCount(1);
  await page.keyboard.press("Tab");
  await expectNoList(page);
}

test("S021 S030 a group is made with a leader and members, edited and deleted", async ({ page, api }) => {
  await api.user({ username: "zhangmin", name: "张敏" });
  await api.user({ username: "chenyu", name: "陈宇" });
  await arrive(page);
  await open(page, "/users/group_list", "用户组列表");
  await expect(page.getByText("还没有用户组")).toBeVisible();
  await page.getByRole("button", { name: "新建用户组" }).first().click();
  const drawer = page.getByRole("dialog", { name: "新建用户组" });
  await drawer.getByLabel("名称").fill("计算机视觉");
  await choosePerson(page, drawer.getByLabel("组长"), "zhang", "张敏 zhangmin");
  await choosePerson(page, drawer.getByLabel("成员"), "陈", "陈宇 chenyu");
  await drawer.getByLabel("显卡", { exact: true }).fill("16");
  await drawer.getByRole("button", { name: "创建" }).click();
  await expect(page.getByText("已创建用户组 计算机视觉")).toBeVisible();
  await expect(row(page, "计算机视觉")).toContainText("张敏");
  await expect(row(page, "计算机视觉").getByRole("link", { name: "2", exact: true })).toBeVisible();

  await row(page, "计算机视觉").getByRole("button", { name: "编辑" }).click();
  const editing = page.getByRole("dialog", { name: "编辑用户组 计算机视觉" });
  await editing.getByLabel("名称").fill("视觉与图形");
  await editing.getByRole("button", { name: "保存" }).click();
  await expect(row(page, "视觉与图形")).toContainText("16");

  await page.getByRole("button", { name: "视觉与图形 的更多操作" }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "删除" }));
  const question = page.getByRole("dialog", { name: "删除用户组 视觉与图形？" });
  await question.getByRole("textbox").fill("视觉与图形");
  await question.getByRole("button", { name: "删除" }).click();
  await expect(page.getByText("已删除用户组 视觉与图形")).toBeVisible();
  await expect(page.getByText("还没有用户组")).toBeVisible();
});

test("a taken group name is refused at the field", async ({ page, api, faults }) => {
  faults.expectStatus(409);
  await api.group("Vision");
  await arrive(page);
  await open(page, "/users/group_list?panel=new", "用户组列表");
  const drawer = page.getByRole("dialog", { name: "新建用户组" });
  await drawer.getByLabel("名称").fill("vision");
  await drawer.getByRole("button", { name: "创建" }).click();
  await expect(drawer.getByLabel("名称")).toHaveAttribute("aria-invalid", "true");
  await expect(drawer.getByLabel("名称")).toBeFocused();
});

test("S030 S060 a leader, an ordinary user, invites and removes members", async ({ page, api, apiOf }) => {
  const leader = await api.user({ username: "zhangmin", name: "张敏" });
  await api.user({ username: "chenyu", name: "陈宇" });
  const group = await api.group("计算机视觉", { leaders: [leader.id] });
  await arrive(page, "zhangmin");
  await open(page, "/users/groupmember_list", "组成员");
  await page.getByRole("button", { name: "邀请成员" }).click();
  const drawer = page.getByRole("dialog", { name: "邀请成员加入 计算机视觉" });
  await choosePerson(page, drawer.getByLabel("人员"), "chen", "陈宇 chenyu");
  await drawer.getByRole("button", { name: "邀请", exact: true }).click();
  await expect(page.getByText("已邀请 1 人，等待对方接受")).toBeVisible();
  await expect(row(page, "陈宇")).toHaveCount(0);
  const chen = await apiOf("chenyu");
  expect(await chen.status("POST", `/api/profile/group-invitations/${group.id}/accept`)).toBe(204);
  await page.reload();
  await expect(row(page, "陈宇")).toContainText("成员");

  await page.getByRole("button", { name: "zhangmin 的更多操作" }).click();
  await expect(page.getByRole("menuitem", { name: /移出.*组长只能由管理员移出/ })).toHaveAttribute(
    "aria-disabled",
    "true",
  );
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menuitem")).toHaveCount(0);
  await page.getByRole("button", { name: "chenyu 的更多操作" }).click();
  await expect(page.getByRole("menuitem", { name: /设为组长/ })).toHaveAttribute("aria-disabled", "true");
  await chooseEntry(page.getByRole("menuitem", { name: "移出", exact: true }));
  await page
    .getByRole("dialog", { name: "把 陈宇 移出这个组？" })
    .getByRole("button", { name: "移出" })
    .click();
  await expect(page.getByText("已移出 陈宇")).toBeVisible();
  await expect(row(page, "陈宇")).toHaveCount(0);
});

test("a member sees the group and may change nothing", async ({ page, api }) => {
  const member = await api.user({ username: "chenyu", name: "陈宇" });
  await api.group("计算机视觉", { members: [member.id] });
  await api.group("别人的组");
  await arrive(page, "chenyu");
  await open(page, "/users/groupmember_list", "组成员");
  await expect(row(page, "陈宇")).toBeVisible();
  await expect(page.getByText("别人的组")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "邀请成员" })).toBeDisabled();
  await page.getByRole("button", { name: "chenyu 的更多操作" }).click();
  await expect(page.getByRole("menuitem", { name: /移出/ })).toHaveAttribute("aria-disabled", "true");
});

test("a group that is not mine cannot be seen by address", async ({ page, api, faults }) => {
  faults.expectStatus(404);
  await api.user({ username: "chenyu" });
  const other = await api.group("别人的组");
  await arrive(page, "chenyu");
  await page.goto(`/users/groupmember_list?group=${other.id}`);
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(page.getByText("别人的组")).toHaveCount(0);
  await expect(page).toHaveURL(/groupmember_list/);
});

test("an administrator names a leader; the chosen group is in the address", async ({ page, api }) => {
  const member = await api.user({ username: "chenyu", name: "陈宇" });
  await api.group("甲组");
  await api.group("乙组", { members: [member.id] });
  await arrive(page);
  await open(page, "/users/groupmember_list", "组成员");
  await page.getByRole("button", { name: /乙组/ }).click();
  await expect(page).toHaveURL(/group=\d+/);
  await page.reload();
  await page.getByRole("button", { name: "chenyu 的更多操作" }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "设为组长" }));
  await expect(page.getByText("陈宇 现在是组长")).toBeVisible();
  await expect(row(page, "陈宇")).toContainText("组长");
});

test("on a phone the group is chosen from a select and members are cards", async ({ visitor, api }) => {
  const member = await api.user({ username: "chenyu", name: "陈宇" });
  await api.group("甲组");
  await api.group("乙组", { members: [member.id] });
  const page = await visitor(phone);
  await arrive(page);
  await open(page, "/users/groupmember_list", "组成员");
  await pick(page, page.getByRole("combobox", { name: "用户组" }), "乙组（1 人）");
  await expect(page.getByRole("listitem").filter({ hasText: "陈宇" })).toBeVisible();
});
