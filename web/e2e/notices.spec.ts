// What people are told: by the bell, on all their devices, and by mail through a real SMTP server.
import { MailServer } from "./fixtures/mail";
import { arrive, expect, open, phone, pick, test } from "./fixtures/test";

const order = { type: "fault", title: "gpu01 卡 3 显存报错", content: "只有当事人看得到的话" };

// What is counted are an ordinary user's notices: an administrator hears of this machine as well, of a full disk for one.

test("the bell tells of an answer at once, and reading it holds on the other device", async ({
  api,
  apiOf,
  page,
  visitor,
}) => {
  await api.user({ username: "zhangmin" });
  const mobile = await visitor(phone);
  await arrive(page, "zhangmin");
  await open(page, "/profile/about", "关于 YunLab 云实验室");
  await arrive(mobile, "zhangmin");
  await open(mobile, "/profile/about", "关于 YunLab 云实验室");
  const bell = page.getByRole("button", { name: /^通知/ });
  const other = mobile.getByRole("button", { name: /^通知/ });
  await expect(bell).toHaveAccessibleName("通知");

  const zhang = await apiOf("zhangmin");
  const first = await zhang.post<{ id: string }>("/api/worksheets", order);
  const second = await zhang.post<{ id: string }>("/api/worksheets", { ...order, title: "第二个" });
  const answer = { content: "只有当事人看得到的话" };
  for (const { id } of [first, second]) await api.post(`/api/worksheets/${id}/replies`, answer);
  await expect(bell).toHaveAccessibleName("通知，2 条未读");
  await expect(other).toHaveAccessibleName("通知，2 条未读");

  // By the keyboard, as by the mouse; Escape gives the keyboard back.
  await bell.focus();
  await page.keyboard.press("Enter");
  const newest = page.getByRole("region", { name: "最近的通知" });
  await expect(newest.getByRole("listitem")).toHaveCount(2);
  await expect(newest).not.toContainText("只有当事人");
  await page.keyboard.press("Escape");
  await expect(newest).toBeHidden();
  await expect(bell).toBeFocused();

  await bell.click();
  await newest.getByRole("link", { name: /gpu01 卡 3 显存报错/ }).click();
  await expect(page).toHaveURL(`/profile/worksheet?one=${first.id}`);
  await expect(page.getByRole("heading", { name: /gpu01 卡 3 显存报错/ }).first()).toBeVisible();
  await expect(bell).toHaveAccessibleName("通知，1 条未读");
  await expect(other).toHaveAccessibleName("通知，1 条未读");

  await other.click();
  const small = mobile.getByRole("region", { name: "最近的通知" });
  await expect(small).toBeInViewport({ ratio: 1 });
  await small.getByRole("button", { name: "全部标为已读" }).click();
  await expect(other).toHaveAccessibleName("通知");
  await expect(bell).toHaveAccessibleName("通知");
});

test("the page of notices filters, turns pages and fits a phone", async ({ api, apiOf, page, visitor }) => {
  await api.user({ username: "zhangmin" });
  const zhang = await apiOf("zhangmin");
  for (let index = 1; index <= 12; index++) {
    const { id } = await zhang.post<{ id: string }>("/api/worksheets", { ...order, title: `张 ${index}` });
    for (const content of ["在看", "换了一根线"])
      await api.post(`/api/worksheets/${id}/replies`, { content });
  }
  await arrive(page, "zhangmin");
  await open(page, "/notices", "通知");
  const list = page.getByRole("list", { name: "通知列表" });
  await expect(list.getByRole("listitem")).toHaveCount(20);
  await expect(page.getByText("24 条未读")).toBeVisible();
  await page.getByTitle("2", { exact: true }).click();
  await expect(page).toHaveURL("/notices?page=2");
  await expect(list.getByRole("listitem")).toHaveCount(4);
  await list
    .getByRole("link", { name: /张 1$|张 1 / })
    .first()
    .click();
  // A page that is left before the request went out would never send it.
  await expect(page.getByRole("button", { name: "通知，23 条未读" })).toBeVisible();
  await open(page, "/notices?unread=true&page=2", "通知");
  await expect(list.getByRole("listitem")).toHaveCount(3);

  const mobile = await visitor(phone);
  await arrive(mobile, "zhangmin");
  await open(mobile, "/notices", "通知");
  await expect(mobile.getByRole("list", { name: "通知列表" }).getByRole("listitem")).toHaveCount(20);
  const width = await mobile.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  await mobile.getByRole("button", { name: "全部标为已读" }).click();
  await expect(mobile.getByRole("button", { name: "全部标为已读" })).toBeDisabled();
  await mobile.getByText("未读", { exact: true }).click();
  await expect(mobile.getByText("没有未读的通知")).toBeVisible();
  await mobile.getByRole("button", { name: "显示全部" }).click();
  await mobile.getByRole("button", { name: "清除已读" }).click();
  await expect(mobile.getByText("没有通知", { exact: true })).toBeVisible();
});

test("mail is set up, tried out, and sent to those who want it", async ({
  api,
  apiOf,
  faults,
  page,
  server,
  visitor,
}) => {
  const mail = await MailServer.start();
  await api.user({ username: "zhangmin", email: "zhangmin@lab.cn" });
  const zhang = await apiOf("zhangmin");
  const made = await zhang.post<{ id: string }>("/api/worksheets", order);
  await arrive(page);
  await open(page, "/settings/basic_setting", "基本设置");
  await page.getByLabel("邮件服务器").fill("127.0.0.1");
  await pick(page, page.getByRole("combobox", { name: "加密方式" }), "不加密（仅限内网中继）");
  await page.getByLabel("服务器端口", { exact: true }).fill(String(mail.port));
  await page.getByLabel("邮箱账号").fill(MailServer.user);
  await page.getByLabel("邮箱密码").fill("不对");
  await page.getByLabel("发件人邮箱").fill("lab@lab.cn");
  await page.getByLabel("测试邮件发给").fill("admin@lab.cn");
  const report = page.getByRole("region", { name: "邮件测试结果" });
  await page.getByRole("button", { name: "发一封测试邮件" }).click();
  await expect(report).toContainText("测试没有通过");
  await expect(report).toContainText("用户名或密码不正确");
  await page.getByLabel("邮箱密码").fill(MailServer.password);
  await page.getByRole("button", { name: "发一封测试邮件" }).click();
  await expect(report).toContainText("测试通过");
  expect((await mail.mails())[0]).toMatchObject({ to: ["admin@lab.cn"], user: MailServer.user });

  // The server refuses what is not an address.
  faults.expectStatus(422);
  await page.getByLabel("测试邮件发给").fill("admin");
  await page.getByRole("button", { name: "发一封测试邮件" }).click();
  await expect(page.getByText("应为邮箱地址")).toBeVisible();

  await page.getByRole("switch", { name: "发送邮件" }).click();
  await page.getByRole("button", { name: "保存邮件通知" }).click();
  await expect(page.getByText("邮件通知已保存")).toBeVisible();
  await expect(page.getByLabel("邮箱密码")).toHaveValue("");
  const replies = `/api/worksheets/${made.id}/replies`;
  await api.post(replies, { content: "在看" });
  await expect.poll(async () => (await mail.mails()).length, { timeout: 15_000 }).toBe(2);
  const sent = (await mail.mails())[1];
  expect(sent).toMatchObject({ to: ["zhangmin@lab.cn"] });
  expect(sent?.subject).toContain("工单 #1 gpu01 卡 3 显存报错");
  expect(sent?.body).not.toContain("在看");
  await expect(page.getByRole("region", { name: "邮件的状态" })).toContainText("已送达");

  // Somebody who wants none gets none, and reads it on the page.
  const theirs = await visitor();
  await arrive(theirs, "zhangmin");
  await open(theirs, "/profile/detail", "个人资料");
  await expect(theirs.getByText("选中的通知会同时发到 zhangmin@lab.cn。")).toBeVisible();
  await theirs.getByRole("checkbox", { name: "工单", exact: true }).click();
  await expect(theirs.getByRole("checkbox", { name: "工单", exact: true })).not.toBeChecked();
  await expect(theirs.getByRole("checkbox", { name: "工单", exact: true })).toBeEnabled();
  await api.post(replies, { content: "再看" });
  await expect(theirs.getByRole("button", { name: "通知，2 条未读" })).toBeVisible();
  const state: { waiting: number } = await api.get("/api/settings/mail");
  expect(state.waiting).toBe(0);
  expect((await mail.mails()).length).toBe(2);
  expect(await server.log()).not.toContain("-0815");
  await mail.stop();
});
