// The notices as an inbox: by group, dealt with where they are, and shown by the browser while the page is not looked at.
import type { Page } from "@playwright/test";
import { arrive, expect, open, phone, test } from "./fixtures/test";

const order = { type: "fault", title: "gpu01 卡 3 显存报错", content: "训练到一半" };

const inbox = (page: Page) => page.getByRole("list", { name: /^通知列表/ });

test("an order is answered and an invitation accepted in the inbox, at a desk and on a phone", async ({
  api,
  apiOf,
  page,
  visitor,
}) => {
  const zhangmin = await api.user({ username: "zhangmin" });
  const lead = await api.user({ username: "liwei", name: "李伟" });
  const zhang = await apiOf("zhangmin");
  const { id } = await zhang.post<{ id: string }>("/api/worksheets", order);
  await api.post(`/api/worksheets/${id}/replies`, { content: "换了一根线" });
  const group = await api.post<{ id: number }>("/api/groups", { name: "视觉", leaders: [lead.id] });
  const leader = await apiOf("liwei");
  await leader.post(`/api/groups/${group.id}/members`, { users: [zhangmin.id] });

  await arrive(page, "zhangmin");
  await open(page, "/notices", "通知");
  await expect(inbox(page).getByRole("listitem")).toHaveCount(2);
  await expect(page.getByRole("heading", { level: 2, name: "今天" })).toBeVisible();

  // One group alone, by its address too.
  await page.getByText("工单 1", { exact: true }).click();
  await expect(page).toHaveURL("/notices?group=worksheets");
  await expect(inbox(page).getByRole("listitem")).toHaveCount(1);

  // By the keyboard: the field has the focus as soon as it is there.
  await page.getByRole("button", { name: /^回复：/ }).press("Enter");
  await expect(page.getByRole("textbox", { name: "回复内容" })).toBeFocused();
  await page.keyboard.type("好了，谢谢");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByText("已回复")).toBeVisible();
  await expect(page.getByRole("button", { name: "通知，1 条未读" })).toBeVisible();
  const thread = await zhang.get<{ entries: { content: string }[] }>(`/api/worksheets/${id}`);
  expect(JSON.stringify(thread)).toContain("好了，谢谢");

  // Kept for later.
  await page.getByRole("button", { name: /^标为未读：/ }).click();
  await expect(page.getByRole("button", { name: "通知，2 条未读" })).toBeVisible();

  const mobile = await visitor(phone);
  await arrive(mobile, "zhangmin");
  await open(mobile, "/notices?group=user_groups", "通知");
  await expect(mobile.getByText(/组长可以看到和停止你的实例/)).toBeVisible();
  const width = await mobile.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  await mobile.getByRole("button", { name: "接受 视觉 的邀请" }).tap();
  await expect(mobile.getByText("已加入用户组 视觉")).toBeVisible();
  await expect(mobile.getByRole("button", { name: /视觉 的邀请/ })).toHaveCount(0);
  await mobile.getByRole("button", { name: "用户组标为已读" }).tap();
  await expect(mobile.getByRole("button", { name: "用户组标为已读" })).toBeDisabled();
  // The other group keeps its own.
  await expect(mobile.getByRole("button", { name: "通知，1 条未读" })).toBeVisible();
});

test("an administrator grants a request in the inbox", async ({ api, apiOf, page }) => {
  await api.user({ username: "zhangmin", name: "张敏" });
  const zhang = await apiOf("zhangmin");
  const request = { type: "quota", title: "多一个实例", content: "要跑实验", quotas: { instanceLimit: 7 } };
  await zhang.post("/api/worksheets", request);
  await arrive(page);
  await open(page, "/notices?group=worksheets", "通知");
  await page.getByRole("button", { name: /^审批：/ }).press("Enter");
  await expect(page.getByRole("table", { name: "申请的配额" })).toContainText("7");
  await page.getByRole("button", { name: "批准", exact: true }).click();
  await page
    .getByRole("dialog", { name: "批准 张敏 的申请" })
    .getByRole("button", { name: "批准并生效" })
    .click();
  await expect(page.getByText("已批准，配额已生效")).toBeVisible();
  await expect(page.getByRole("button", { name: /^审批：/ })).toHaveCount(0);
  expect(await api.userNamed("zhangmin")).toMatchObject({ instanceLimit: 7 });
});

test("the bell offers what can be done as well", async ({ api, apiOf, page }) => {
  const zhangmin = await api.user({ username: "zhangmin" });
  const lead = await api.user({ username: "liwei" });
  const group = await api.post<{ id: number }>("/api/groups", { name: "视觉", leaders: [lead.id] });
  await arrive(page, "zhangmin");
  await open(page, "/profile/about", "关于 YunLab 云实验室");
  const leader = await apiOf("liwei");
  await leader.post(`/api/groups/${group.id}/members`, { users: [zhangmin.id] });
  await page.getByRole("button", { name: "通知，1 条未读" }).click();
  const newest = page.getByRole("region", { name: "最近的通知" });
  await newest.getByRole("button", { name: "拒绝 视觉 的邀请" }).click();
  await expect(page.getByText("已拒绝，这个组 7 天内不能再邀请你")).toBeVisible();
  await expect(newest.getByRole("button", { name: /视觉 的邀请/ })).toHaveCount(0);
});

test("the browser shows a new notice while the page is not looked at, once it may", async ({
  api,
  apiOf,
  page,
}) => {
  await api.user({ username: "zhangmin" });
  const zhang = await apiOf("zhangmin");
  const { id } = await zhang.post<{ id: string }>("/api/worksheets", order);
  // A browser without a desktop allows none: what it is asked to show is written down instead.
  await page.addInitScript(() => {
    const shown: string[] = [];
    class Written extends EventTarget {
      static permission: NotificationPermission = "default";
      static async requestPermission() {
        Written.permission = "granted";
        return Written.permission;
      }
      constructor(title: string, options?: NotificationOptions) {
        super();
        shown.push(`${title}：${options?.body}`);
      }
      close() {}
    }
    Object.assign(window, { shown, Notification: Written });
  });
  await arrive(page, "zhangmin");
  await open(page, "/notices", "通知");
  await page.getByRole("switch", { name: "桌面通知" }).click();
  await expect(page.getByRole("switch", { name: "桌面通知" })).toBeChecked();
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
  });
  await api.post(`/api/worksheets/${id}/replies`, { content: "换了一根线" });
  const shown = () => page.evaluate(() => Reflect.get(window, "shown"));
  await expect.poll(shown).toEqual(["工单 #1 gpu01 卡 3 显存报错：admin 回复了工单，状态改为处理中"]);
});
