// Notices outside: set up on the page, tried out, sent by the server that runs, and still there after a power cut.
import { createHmac } from "node:crypto";
import { Receiver } from "./fixtures/receiver";
import { arrive, expect, open, pick, test } from "./fixtures/test";

const secret = "SEC-只写-0815";
const order = { type: "fault", title: "gpu01 卡 3 显存报错", content: "只有当事人看得到的话" };

test("a group robot is set up and tried out, and told of new work orders", async ({
  api,
  apiOf,
  faults,
  page,
  server,
}) => {
  const receiver = await Receiver.start();
  await api.user({ username: "zhangmin" });
  await arrive(page);
  await open(page, "/settings/basic_setting", "基本设置");
  const address = page.getByLabel("接收地址");
  const save = page.getByRole("button", { name: "保存消息通知" });
  const report = page.getByRole("region", { name: "测试结果" });

  // What is no address never leaves the page; what looks like one but is hostile is the server's to refuse.
  await address.fill("javascript:alert(1)");
  await page.getByRole("button", { name: "发送测试" }).click();
  await expect(page.getByText("请填写以 http:// 或 https:// 开头的地址", { exact: true })).toBeVisible();
  faults.expectStatus(422);
  await address.fill("http://lab@evil.example/");
  await page.getByRole("button", { name: "发送测试" }).click();
  await expect(page.getByText("地址里不能有用户名或密码")).toBeVisible();

  receiver.answer = { status: 200, body: '{"errcode":93000,"errmsg":"invalid webhook url"}' };
  await address.fill(receiver.url);
  await page.getByRole("button", { name: "发送测试" }).click();
  await expect(report).toContainText("测试没有通过");
  await expect(report).toContainText("机器人拒绝了消息：invalid webhook url（错误码 93000）");
  receiver.answer = { status: 200, body: '{"errcode":0,"errmsg":"ok"}' };
  await page.getByRole("button", { name: "发送测试" }).click();
  await expect(report).toContainText("测试通过");
  expect(JSON.parse(receiver.heard[1]?.body ?? "")).toMatchObject({ msgtype: "text" });

  await page.getByRole("switch", { name: "发送通知" }).click();
  await save.click();
  await expect(page.getByText("消息通知已保存")).toBeVisible();
  const zhang = await apiOf("zhangmin");
  await zhang.post("/api/worksheets", order);
  await expect.poll(() => receiver.heard.length).toBe(3);
  const { text } = JSON.parse(receiver.heard[2]?.body ?? "");
  expect(text.content).toContain("工单 #1 gpu01 卡 3 显存报错");
  expect(text.content).not.toContain("只有当事人");
  const state = page.getByRole("region", { name: "通知的状态" });
  await expect(state).toContainText("已送达");
  await expect(state).toContainText("等待发送 0 条");
  expect(await server.log()).not.toContain("robot-key");
  await receiver.stop();
});

test("a secret is written only, and what waits outlives a power cut", async ({
  api,
  apiOf,
  page,
  server,
}) => {
  const receiver = await Receiver.start();
  await api.user({ username: "zhangmin" });
  await arrive(page);
  await open(page, "/settings/basic_setting", "基本设置");
  await pick(page, page.getByRole("combobox", { name: "发给" }), "自己的程序（JSON）");
  await page.getByLabel("接收地址").fill(receiver.url);
  await page.getByLabel("签名密钥").fill(secret);
  await page.getByRole("switch", { name: "发送通知" }).click();
  await page.getByRole("button", { name: "保存消息通知" }).click();
  await expect(page.getByText("消息通知已保存")).toBeVisible();
  await expect(page.getByText("已设置，留空保持不变")).toBeVisible();
  await expect(page.getByLabel("签名密钥")).toHaveValue("");

  receiver.answer = { status: 500, body: "" };
  const zhang = await apiOf("zhangmin");
  await zhang.post("/api/worksheets", order);
  await expect.poll(() => receiver.heard.length).toBe(1);
  const state = page.getByRole("region", { name: "通知的状态" });
  await expect(state).toContainText("没有送达");
  await expect(state).toContainText("对方应答状态 500");
  await server.kill();
  receiver.answer = { status: 200, body: "" };
  await server.startAgain();
  const after: { waiting: number; secretSet: boolean } = await api.get("/api/settings/webhook");
  expect(after).toMatchObject({ waiting: 1, secretSet: true });
  // Its second try comes half a minute after the first.
  test.slow();
  await expect.poll(() => receiver.heard.length, { timeout: 45_000 }).toBe(2);
  const { headers, body } = receiver.heard[1] ?? { headers: {}, body: "" };
  const signature = createHmac("sha256", secret)
    .update(`${headers["x-yunlab-timestamp"]}.${body}`)
    .digest("hex");
  expect(headers["x-yunlab-signature"]).toBe(`sha256=${signature}`);
  expect(JSON.parse(body)).toMatchObject({ event: "worksheet_created", data: { requester: "zhangmin" } });
  const log = await server.log();
  expect(log).not.toContain(secret);
  expect(log).not.toContain("robot-key");
  await receiver.stop();
});
