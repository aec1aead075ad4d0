import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { notice } from "@/shared/notices/mock";
import { json, serve } from "@/test-server";
import { NoticesBell } from "./NoticesBell";

function start(unread: number) {
  const sent: unknown[] = [];
  let left = unread;
  const items = () => [notice({ read: left === 0 ? "2026-11-20T11:00:00Z" : null })];
  const server = serve({
    "GET /api/notices/unread": () => json({ unread: left }),
    "GET /api/notices": () => json({ items: items(), total: 1, unread: left, groups: [] }),
    "POST /api/notices/read": async (request) => {
      sent.push(await request.json());
      left = 0;
      return json({ unread: 0 });
    },
  });
  return { sent, ...server, ...renderPage(NoticesBell, { at: "/" }) };
}

describe("通知的铃", () => {
  it("says how many were not read, and shows the newest when it is asked", async () => {
    const { sent, count, user } = start(3);
    const bell = await screen.findByRole("button", { name: "通知，3 条未读" });
    expect(count("GET /api/notices")).toBe(0);
    await user.click(bell);
    const newest = await screen.findByRole("region", { name: "最近的通知" });
    expect(await within(newest).findByText("工单 #12 显存报错")).toBeTruthy();
    await user.click(within(newest).getByRole("button", { name: "全部标为已读" }));
    await waitFor(() => expect(sent).toEqual([{ all: true }]));
    expect(await screen.findByRole("button", { name: "通知" })).toBeTruthy();
  });

  it("leads to what a notice is about, and marks it as read", async () => {
    const { sent, user, router } = start(1);
    await user.click(await screen.findByRole("button", { name: "通知，1 条未读" }));
    await user.click(await screen.findByRole("link", { name: /显存报错/ }));
    await waitFor(() => expect(sent).toEqual([{ ids: ["n1"] }]));
    expect(router.state.location.pathname).toBe("/profile/worksheet");
  });
});
