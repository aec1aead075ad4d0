import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { User } from "@/shared/api/profile";
import { renderPage } from "@/shared/list/render-page";
import { problem, serve } from "@/test-server";
import { GroupsPanel } from "./GroupsPanel";

const groups: User["groups"] = [
  { id: 5, name: "计算机视觉", leader: false, origin: "invitation" },
  { id: 6, name: "语音", leader: true, origin: "earlier" },
  { id: 7, name: "机器人", leader: false, origin: "administrator" },
  { id: 8, name: "目录", leader: false, origin: "directory" },
];

const Page = () => <GroupsPanel groups={groups} />;

const leave = (name: string) => screen.getByRole("button", { name: `退出用户组 ${name}` });

async function confirm(name: string): Promise<HTMLElement> {
  const dialog = (await screen.findByText(`退出用户组 ${name}？`)).closest<HTMLElement>('[role="dialog"]');
  if (!dialog) throw new Error("no dialogue");
  return within(dialog).getByRole("button", { name: "退出" });
}

describe("我的用户组", () => {
  it("lets people leave what they were not assigned to, after a question", async () => {
    const server = serve({
      "DELETE /api/profile/groups/5": () => new Response(null, { status: 204 }),
      "DELETE /api/profile/groups/6": () => problem(409, "last_leader", "你是这个组唯一的组长"),
    });
    const { user } = renderPage(Page, { at: "/profile/detail", role: 2 });
    expect(leave("机器人")).toHaveProperty("disabled", true);
    expect(leave("目录")).toHaveProperty("disabled", true);
    expect(screen.getByText("由管理员加入，退出请联系管理员")).toBeTruthy();
    expect(screen.getByText("由目录服务（LDAP）指定，退出请联系管理员")).toBeTruthy();
    leave("计算机视觉").focus();
    await user.keyboard("{Enter}");
    await user.click(await confirm("计算机视觉"));
    expect(await screen.findByText("已退出用户组 计算机视觉")).toBeTruthy();
    expect(server.count("DELETE /api/profile/groups/5")).toBe(1);
    await user.click(leave("语音"));
    await user.click(await confirm("语音"));
    expect(await screen.findByText("你是这个组唯一的组长")).toBeTruthy();
  });
});
