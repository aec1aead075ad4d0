import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, serve } from "@/test-server";
import type { NoticePreferences } from "./api";
import { NoticesPanel } from "./NoticesPanel";

const all: NoticePreferences = {
  email: "ann@lab.cn",
  mailEnabled: true,
  mail: ["worksheets", "findings", "instances"],
};

function start(now: NoticePreferences) {
  const sent: unknown[] = [];
  serve({
    "GET /api/profile/notices": () => json(now),
    "PUT /api/profile/notices": async (request) => {
      const body: { mail: NoticePreferences["mail"] } = await request.json();
      sent.push(body);
      now = { ...now, mail: body.mail };
      return json(now);
    },
  });
  return { sent, ...renderPage(now.email ? WithEmail : WithoutEmail, { at: "/profile/detail" }) };
}

const WithEmail = () => <NoticesPanel email="ann@lab.cn" />;
const WithoutEmail = () => <NoticesPanel email="" />;

describe("通知邮件", () => {
  it("keeps each choice at once", async () => {
    const { sent, user } = start(all);
    const box = await screen.findByRole("checkbox", { name: "异常行为" });
    expect(screen.getByText("选中的通知会同时发到 ann@lab.cn。")).toBeTruthy();
    await user.click(box);
    await waitFor(() => expect(sent).toEqual([{ mail: ["worksheets", "instances"] }]));
    await waitFor(() => expect(box).toHaveProperty("checked", false));
    await waitFor(() => expect(box).toHaveProperty("disabled", false));
  });

  it("leaves alone what it does not show", async () => {
    const { sent, user } = start({ ...all, mail: ["worksheets", "disk", "system"] });
    expect(await screen.findByRole("checkbox", { name: "网盘", checked: true })).toBeTruthy();
    await user.click(screen.getByRole("checkbox", { name: "异常行为" }));
    await waitFor(() => expect(sent).toEqual([{ mail: ["worksheets", "disk", "system", "findings"] }]));
  });

  it("says why nothing comes by mail", async () => {
    start({ ...all, mailEnabled: false });
    expect(await screen.findByText("平台还没有设置邮件，通知只在页面上显示。")).toBeTruthy();
  });

  it("asks for an address where there is none", async () => {
    start({ ...all, email: "" });
    expect(await screen.findByText("填写邮箱后，选中的通知会同时发邮件给你。")).toBeTruthy();
  });
});
