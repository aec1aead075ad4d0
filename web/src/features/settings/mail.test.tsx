import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, serve } from "@/test-server";
import type { MailSettings } from "./api";
import { MailPanel } from "./MailPanel";
import { mailFieldsOf, mailOf, portFor } from "./mail-form";
import { mail } from "./mock";

const kept: MailSettings = {
  ...mail,
  enabled: true,
  host: "smtp.lab.cn",
  username: "lab@lab.cn",
  passwordSet: true,
  from: "lab@lab.cn",
};

function start(now: MailSettings, others: Parameters<typeof serve>[0] = {}) {
  const bodies: unknown[] = [];
  serve({
    "GET /api/settings/mail": () => json(now),
    "PUT /api/settings/mail": async (request) => {
      bodies.push(await request.json());
      return json(now);
    },
    ...others,
  });
  return { bodies, ...renderPage(MailPanel, { at: "/settings" }) };
}

const save = () => screen.getByRole("button", { name: "保存邮件通知" });

describe("邮件通知", () => {
  it("keeps the password without showing it, and sends what was chosen", async () => {
    const { bodies, user } = start(kept);
    expect(await screen.findByLabelText("邮箱密码")).toHaveProperty("value", "");
    expect(screen.getByText("已设置，留空保持不变")).toBeTruthy();
    await user.click(screen.getByRole("checkbox", { name: "发现异常行为" }));
    await user.click(save());
    await waitFor(() => expect(bodies).toHaveLength(1));
    expect(bodies[0]).toMatchObject({ host: "smtp.lab.cn", port: 465, security: "tls", enabled: true });
    expect(bodies[0]).not.toHaveProperty("password");
    expect(bodies[0]).not.toHaveProperty("to");
    expect(mailOf({ ...mailFieldsOf(kept), password: "新的" }, true)).toMatchObject({ password: "新的" });
    expect(mailOf(mailFieldsOf(kept), false)).toMatchObject({ password: "" });
  });

  it("proposes the port that goes with the security, and leaves one that somebody chose", () => {
    expect(portFor("starttls", 465)).toBe(587);
    expect(portFor("none", null)).toBe(25);
    expect(portFor("starttls", 2525)).toBe(2525);
  });

  it("says which step of a test failed, and puts the server's fault to its field", async () => {
    const sent: unknown[] = [];
    let fault = true;
    const { bodies, user } = start(kept, {
      "POST /api/settings/mail/test": async (request) => {
        sent.push(await request.json());
        const fields = [{ name: "to", message: "应为邮箱地址" }];
        if (fault)
          return json({ code: "invalid", message: "应为邮箱地址", fields, request_id: "req-7" }, 422);
        return json({
          ok: false,
          steps: [
            { step: "tls", ok: true, message: "TLS 已建立，证书可信" },
            { step: "login", ok: false, message: "用户名或密码不正确" },
          ],
        });
      },
    });
    const test = await screen.findByRole("button", { name: "发一封测试邮件" });
    await user.click(test);
    expect(await screen.findByText("应为邮箱地址")).toBeTruthy();
    fault = false;
    await user.type(screen.getByLabelText("测试邮件发给"), "ann@lab.cn");
    await user.click(test);
    const result = await screen.findByRole("region", { name: "邮件测试结果" });
    expect(result.textContent).toContain("用户名或密码不正确");
    expect(sent.at(-1)).toMatchObject({ to: "ann@lab.cn", mail: { host: "smtp.lab.cn" } });
    await user.type(screen.getByLabelText("邮件服务器"), "2");
    expect(await within(result).findByText("设置在测试之后又改过")).toBeTruthy();
    expect(bodies).toEqual([]);
  });

  it("shows what was given up, to be sent again or cleared", async () => {
    const asked: string[] = [];
    const error = "对方不接受收件人：550 no such user";
    const faults = [
      { id: "1", title: "工单 #2 显存报错", time: "2026-11-20T10:00:00Z", tries: 1, error, next: null },
    ];
    const { user } = start(
      { ...kept, waiting: 2, failed: 1, faults },
      {
        "POST /api/settings/mail/failed": () => {
          asked.push("again");
          return json(kept);
        },
        "DELETE /api/settings/mail/failed": () => {
          asked.push("clear");
          return new Response(null, { status: 204 });
        },
      },
    );
    const state = await screen.findByRole("region", { name: "邮件的状态" });
    expect(state.textContent).toContain("等待发送 2 封");
    expect(state.textContent).toContain("550 no such user");
    await user.click(screen.getByRole("button", { name: "重新发送" }));
    await user.click(screen.getByRole("button", { name: "清除记录" }));
    await waitFor(() => expect(asked).toEqual(["again", "clear"]));
  });
});
