import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, serve } from "@/test-server";
import type { WebhookSettings } from "./api";
import { webhook } from "./mock";
import { WebhookPanel } from "./WebhookPanel";
import { noticeFormOf, webhookOf } from "./webhook-form";

const kept: WebhookSettings = {
  ...webhook,
  enabled: true,
  address: "http://a.lab/hook",
  format: "json",
  secretSet: true,
};

function start(now: WebhookSettings, others: Parameters<typeof serve>[0] = {}) {
  const bodies: unknown[] = [];
  serve({
    "GET /api/settings/webhook": () => json(now),
    "PUT /api/settings/webhook": async (request) => {
      bodies.push(await request.json());
      return json(now);
    },
    ...others,
  });
  return { bodies, ...renderPage(WebhookPanel, { at: "/settings" }) };
}

const save = () => screen.getByRole("button", { name: "保存消息通知" });

describe("消息通知", () => {
  it("keeps the secret without showing it, replaces it, or drops it", async () => {
    const { bodies, user } = start(kept);
    const secret = await screen.findByLabelText("签名密钥");
    expect(secret).toHaveProperty("value", "");
    expect(screen.getByText("已设置，留空保持不变")).toBeTruthy();
    await user.click(screen.getByRole("checkbox", { name: "工单有回复" }));
    await user.click(save());
    await waitFor(() => expect(bodies).toHaveLength(1));
    const { enabled, address, format } = kept;
    const events = ["worksheet_created", "worksheet_state", "worksheet_decided", "finding"];
    expect(bodies[0]).toEqual({ enabled, address, format, events });
    await waitFor(() => expect(save()).toHaveProperty("disabled", true));
    await user.click(screen.getByRole("button", { name: "清除" }));
    expect(screen.getByText("保存后不再签名")).toBeTruthy();
    await user.click(save());
    await waitFor(() => expect(bodies).toHaveLength(2));
    expect(bodies[1]).toMatchObject({ secret: "" });
    const form = { ...noticeFormOf(kept), secret: "新的", address: " http://a.lab/hook " };
    expect(webhookOf(form, true)).toMatchObject({ secret: "新的", address: "http://a.lab/hook" });
  });

  it("says which step of a test failed, and that the form was changed since", async () => {
    const sent: unknown[] = [];
    const report = {
      ok: false,
      steps: [
        { step: "connect", ok: true, message: "已连接 a.lab:80" },
        { step: "answer", ok: false, message: "机器人拒绝了消息：sign not match（错误码 310000）" },
      ],
    };
    const { bodies, user } = start(kept, {
      "POST /api/settings/webhook/test": async (request) => {
        sent.push(await request.json());
        return json(report);
      },
    });
    await user.click(await screen.findByRole("button", { name: "发送测试" }));
    const result = await screen.findByRole("region", { name: "测试结果" });
    expect(result.textContent).toContain("测试没有通过");
    expect(result.textContent).toContain("sign not match（错误码 310000）");
    expect(sent[0]).not.toHaveProperty("secret");
    await user.type(screen.getByLabelText("接收地址"), "2");
    expect(await within(result).findByText("设置在测试之后又改过")).toBeTruthy();
    expect(bodies).toEqual([]);
  });

  it("puts the server's fault to its field and asks for an address before it is switched on", async () => {
    const fault = { name: "secret", message: "地址或格式改了，请重新填写密钥；不用密钥时点“清除”" };
    const { user } = start(kept, {
      "PUT /api/settings/webhook": () =>
        json({ code: "invalid", message: fault.message, fields: [fault], request_id: "req-7" }, 422),
    });
    const address = await screen.findByLabelText("接收地址");
    await user.clear(address);
    await user.click(save());
    expect(await screen.findByText("请填写地址")).toBeTruthy();
    await user.type(address, "http://b.lab/hook");
    await user.click(save());
    expect(await screen.findByText(fault.message)).toBeTruthy();
  });

  it("shows what waits and what was given up, to be tried again or cleared", async () => {
    const asked: string[] = [];
    const faults = [
      {
        id: "1",
        title: "工单 #2 显存报错",
        time: "2026-11-20T10:00:00Z",
        tries: 15,
        error: "连接不上",
        next: null,
      },
    ];
    const last = { time: "2026-11-21T10:00:00Z", error: "连接不上" };
    const { user } = start(
      { ...kept, waiting: 3, failed: 1, last, faults },
      {
        "POST /api/settings/webhook/failed": () => {
          asked.push("again");
          return json(kept);
        },
        "DELETE /api/settings/webhook/failed": () => {
          asked.push("clear");
          return new Response(null, { status: 204 });
        },
      },
    );
    const state = await screen.findByRole("region", { name: "通知的状态" });
    expect(state.textContent).toContain("没有送达");
    expect(state.textContent).toContain("等待发送 3 条");
    expect(state.textContent).toContain("试过 15 次，已放弃：连接不上");
    await user.click(screen.getByRole("button", { name: "重新发送" }));
    await user.click(screen.getByRole("button", { name: "清除记录" }));
    await waitFor(() => expect(asked).toEqual(["again", "clear"]));
  });
});
