import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, serve } from "@/test-server";
import type { GroupInvitation } from "./api";
import { Invitations } from "./Invitations";

const leader = { id: 2, username: "zhangmin", name: "张敏", avatar: "" };

const invitation: GroupInvitation = {
  id: 5,
  name: "计算机视觉",
  description: "周三组会",
  leaders: [leader],
  memberCount: 12,
  invitedBy: leader,
  invited: "2026-01-02T03:04:05.000Z",
  expires: "2026-02-01T03:04:05.000Z",
};

const path = "/api/profile/group-invitations";

function start(items: GroupInvitation[], answers: Parameters<typeof serve>[0] = {}) {
  const answered = () => {
    items = [];
    return new Response(null, { status: 204 });
  };
  const server = serve({
    [`GET ${path}`]: () => json({ items, total: items.length }),
    [`POST ${path}/5/accept`]: answered,
    [`POST ${path}/5/decline`]: answered,
    ...answers,
  });
  return { ...server, ...renderPage(Invitations, { at: "/profile/detail", role: 2 }) };
}

describe("组邀请", () => {
  it("says who invites and what accepting means, and accepts by the keyboard", async () => {
    const { user, count } = start([invitation]);
    const row = within(await screen.findByRole("list", { name: "用户组邀请" })).getByRole("listitem");
    expect(row.textContent).toMatch(/计算机视觉周三组会张敏 zhangmin 邀请组长 张敏 zhangmin12 人有效期至/);
    expect(screen.getByText(/组长可以看到和停止你的实例.*工单.*组内可见/)).toBeTruthy();
    within(row).getByRole("button", { name: "接受 计算机视觉 的邀请" }).focus();
    await user.keyboard("{Enter}");
    expect(await screen.findByText("已加入用户组 计算机视觉")).toBeTruthy();
    expect(count(`POST ${path}/5/accept`)).toBe(1);
    await waitFor(() => expect(screen.queryByRole("list")).toBeNull());
  });

  it("declines, and says for how long that holds", async () => {
    const { user, count } = start([{ ...invitation, invitedBy: null }]);
    expect(await screen.findByText("邀请人的账号已删除")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "拒绝 计算机视觉 的邀请" }));
    expect(await screen.findByText("已拒绝，这个组 7 天内不能再邀请你")).toBeTruthy();
    expect(count(`POST ${path}/5/decline`)).toBe(1);
  });

  it("shows the server's words when it was withdrawn, and asks again", async () => {
    const { user, count } = start([invitation], {
      [`POST ${path}/5/accept`]: () => problem(409, "invitation_over", "这个邀请已经答复过、被撤回或已过期"),
    });
    await user.click(await screen.findByRole("button", { name: "接受 计算机视觉 的邀请" }));
    expect(await screen.findByText("这个邀请已经答复过、被撤回或已过期")).toBeTruthy();
    await waitFor(() => expect(count(`GET ${path}`)).toBe(2));
  });

  it("shows nothing where nobody invites, and why nothing came", async () => {
    let fails = true;
    const { user, count } = start([], {
      [`GET ${path}`]: () =>
        fails ? problem(500, "internal", "服务器出错了") : json({ items: [], total: 0 }),
    });
    expect(await screen.findByText("用户组邀请没有取到")).toBeTruthy();
    fails = false;
    await user.click(screen.getByRole("button", { name: "重试" }));
    await waitFor(() => expect(screen.queryByText("用户组邀请没有取到")).toBeNull());
    expect(count(`GET ${path}`)).toBe(2);
    expect(screen.queryByText("用户组邀请")).toBeNull();
  });
});
