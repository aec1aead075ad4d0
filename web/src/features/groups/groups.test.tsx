import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { serve } from "@/test-server";
import GroupsPage from "./GroupsPage";
import MembersPage from "./MembersPage";
import { groupAnswers, makeGroup, makeHeld } from "./mock";

function start(
  page: "groups" | "members",
  address: string,
  who = { role: 1, me: 1 },
  groups = [makeGroup({})],
  held: ReturnType<typeof makeHeld>[] = [],
) {
  const bodies: unknown[] = [];
  const server = serve(groupAnswers(groups, bodies, { invites: who.role !== 1, held }));
  return {
    bodies,
    server,
    ...renderPage(page === "groups" ? GroupsPage : MembersPage, { at: address, ...who }),
  };
}

/** Found by its words: in the test browser Ant Design gives every title the same id. */
async function dialogue(title: string): Promise<HTMLElement> {
  const found = (await screen.findByText(title)).closest<HTMLElement>('[role="dialog"]');
  if (!found) throw new Error(`${title} is in no dialogue`);
  return found;
}

const menu = async (name: string) => screen.findByRole("button", { name: `${name} 的更多操作` });

describe("用户组列表", () => {
  it("S021 S030 S059 shows groups with leaders and quotas", async () => {
    start("groups", "/users/group_list");
    const row = within((await screen.findByText("计算机视觉")).closest("tr") ?? document.body);
    expect(row.getByText("张敏")).toBeTruthy();
    expect(row.getByText("64")).toBeTruthy();
    expect(row.getByText("1,024")).toBeTruthy();
    expect(row.getAllByText("不限")).toHaveLength(2);
  });

  it("offers the first group when there is none", async () => {
    start("groups", "/users/group_list", undefined, []);
    expect(await screen.findByText("还没有用户组")).toBeTruthy();
    expect(screen.getAllByRole("button", { name: "新建用户组" })).toHaveLength(2);
  });

  it("S021 puts a taken name to its field, then creates", async () => {
    const { bodies, user } = start("groups", "/users/group_list?panel=new");
    const name = await screen.findByRole("textbox", { name: "名称" });
    await user.type(name, "fail");
    await user.click(screen.getByRole("button", { name: "创建" }));
    expect(await screen.findByText("用户组名已经被使用")).toBeTruthy();
    await user.clear(name);
    await user.type(name, "语音");
    await user.click(screen.getByRole("button", { name: "创建" }));
    expect(await screen.findByText("已创建用户组 语音")).toBeTruthy();
    expect(bodies.at(-1)).toMatchObject({ name: "语音", leaders: [], members: [], CPUPeriodQuota: 0 });
  });

  it("S021 leaves the members alone when a group is edited", async () => {
    const { bodies, user } = start("groups", "/users/group_list?panel=edit&id=5");
    await user.type(await screen.findByRole("textbox", { name: "说明" }), "周三组会");
    await user.click(screen.getByRole("button", { name: "保存" }));
    expect(await screen.findByText("已保存")).toBeTruthy();
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toMatchObject({ description: "周三组会", leaders: [2], diskQuota: 1024 ** 4 });
    expect(bodies[0]).not.toHaveProperty("members");
  });

  it("S021 deletes only after the name has been typed", async () => {
    const { server, user } = start("groups", "/users/group_list");
    await user.click(await menu("计算机视觉"));
    await user.click(await screen.findByRole("menuitem", { name: "删除" }));
    const dialog = within(await dialogue("删除用户组 计算机视觉？"));
    expect(dialog.getByRole("button", { name: "删除" })).toHaveProperty("disabled", true);
    await user.type(dialog.getByRole("textbox"), "计算机视觉");
    await user.click(dialog.getByRole("button", { name: "删除" }));
    await waitFor(() => expect(server.count("DELETE /api/groups/5")).toBe(1));
  });
});

describe("组成员", () => {
  it("S060 lets an ordinary member look, and says who may change", async () => {
    const { user } = start("members", "/users/groupmember_list", { role: 2, me: 3 });
    expect(await screen.findByText("陈宇")).toBeTruthy();
    expect(screen.getByRole("button", { name: "邀请成员" })).toHaveProperty("disabled", true);
    expect(screen.queryByText("待接受的邀请")).toBeNull();
    await user.click(await menu("lijia"));
    const item = await screen.findByRole("menuitem", { name: /移出/ });
    expect(item.textContent).toContain("只有组长和管理员可以移出成员");
  });

  it("S030 S060 lets a leader remove members but no leaders, and name none", async () => {
    const { server, user } = start("members", "/users/groupmember_list?group=5", { role: 2, me: 2 });
    await user.click(await menu("chenyu"));
    expect((await screen.findByRole("menuitem", { name: /设为组长/ })).textContent).toContain(
      "组长由管理员指定",
    );
    await user.click(await screen.findByRole("menuitem", { name: "移出" }));
    await user.click(within(await dialogue("把 陈宇 移出这个组？")).getByRole("button", { name: "移出" }));
    expect(await screen.findByText("已移出 陈宇")).toBeTruthy();
    expect(server.count("DELETE /api/groups/5/members/3")).toBe(1);
  });

  it("shows the server's words when somebody cannot be removed", async () => {
    const { user } = start("members", "/users/groupmember_list?group=5");
    await user.click(await menu("lijia"));
    await user.click(await screen.findByRole("menuitem", { name: "移出" }));
    await user.click(within(await dialogue("把 李佳 移出这个组？")).getByRole("button", { name: "移出" }));
    expect(await screen.findByText("他还有实例在用这个组的配额")).toBeTruthy();
  });

  it("S030 lets an administrator name leaders", async () => {
    const { bodies, user } = start("members", "/users/groupmember_list?group=5");
    await user.click(await menu("chenyu"));
    await user.click(await screen.findByRole("menuitem", { name: "设为组长" }));
    expect(await screen.findByText("陈宇 现在是组长")).toBeTruthy();
    expect(bodies).toEqual([{ leader: true }]);
  });

  it("S060 adds people by name; Tab only leaves the field", async () => {
    const { bodies, user } = start("members", "/users/groupmember_list?group=5&panel=add");
    await user.type(await screen.findByRole("combobox", { name: "人员" }), "chen");
    await user.click(await screen.findByTitle("陈宇 chenyu"));
    await user.tab();
    await user.click(screen.getByRole("button", { name: "添加" }));
    expect(await screen.findByText("已添加 1 人")).toBeTruthy();
    expect(bodies).toEqual([{ users: [3] }]);
  });

  it("S060 lets a leader invite, and says that the person must accept", async () => {
    const at = "/users/groupmember_list?group=5&panel=add";
    const { bodies, user } = start("members", at, { role: 2, me: 2 });
    await user.type(await screen.findByRole("combobox", { name: "人员" }), "chen");
    await user.click(await screen.findByTitle("陈宇 chenyu"));
    await user.tab();
    await user.click(screen.getByRole("button", { name: "邀请" }));
    expect(await screen.findByText("已邀请 1 人，等待对方接受")).toBeTruthy();
    expect(bodies).toEqual([{ users: [3] }]);
  });

  it("shows leaders whom the group waits for, and withdraws", async () => {
    const { server, user } = start("members", "/users/groupmember_list?group=5", { role: 2, me: 2 });
    const waiting = within(await screen.findByRole("list", { name: "待接受的邀请" }));
    expect(waiting.getByRole("listitem").textContent).toMatch(/孙浩 sunhao张敏 zhangmin .*邀请，有效期至/);
    await user.click(waiting.getByRole("button", { name: "撤回对 sunhao 的邀请" }));
    expect(await screen.findByText("已撤回对 孙浩 sunhao 的邀请")).toBeTruthy();
    expect(server.count("DELETE /api/groups/5/invitations/9")).toBe(1);
    await waitFor(() => expect(screen.queryByText("待接受的邀请")).toBeNull());
  });

  it("shows leaders who left and still has the folder, and takes it back", async () => {
    const at = "/users/groupmember_list?group=5";
    const { bodies, user } = start("members", at, { role: 2, me: 2 }, undefined, [makeHeld()]);
    const left = within(await screen.findByRole("list", { name: "离组后仍占用组文件夹" }));
    expect(left.getByText("zhouhao · ins_zhouhao_GPU2xk7q")).toBeTruthy();
    expect(left.getByText(/文件夹已卸载，之前打开的文件还能读写/)).toBeTruthy();
    await user.click(left.getByRole("button", { name: "改 ins_zhouhao_GPU2xk7q 的时间" }));
    const time = within(await dialogue("什么时候停止 ins_zhouhao_GPU2xk7q"));
    await user.click(time.getByRole("radio", { name: "3 天后" }));
    await user.click(time.getByRole("button", { name: "确定时间" }));
    await waitFor(() => expect(bodies).toHaveLength(1));
    const [, endsAt = ""] = /"endsAt":"([^"]+)"/.exec(JSON.stringify(bodies[0])) ?? [];
    expect(Math.round((Date.parse(endsAt) - Date.now()) / 3_600_000)).toBe(72);
    await user.click(left.getByRole("button", { name: "立即重启 ins_zhouhao_GPU2xk7q" }));
    const question = within(await dialogue("重启 zhouhao 的实例 ins_zhouhao_GPU2xk7q？"));
    await user.click(question.getByRole("button", { name: "重启" }));
    await waitFor(() => expect(bodies).toHaveLength(2));
    expect(bodies[1]).toEqual({ how: "restart" });
    await waitFor(() => expect(screen.queryByText("离组后仍占用组文件夹")).toBeNull());
  });

  it("tells administrators of all groups why a folder could not be unmounted", async () => {
    const held = makeHeld({ group: null, unmounted: false, problem: "服务器的设置不允许使用主机助手" });
    start("groups", "/users/group_list", undefined, undefined, [held]);
    const left = within(await screen.findByRole("list", { name: "离组后仍占用组文件夹" }));
    expect(left.getByText(/计算机视觉：没能卸载，仍能读写：服务器的设置不允许使用主机助手/)).toBeTruthy();
  });

  it("lets a member leave what they accepted, after a question", async () => {
    const { server, user, search } = start("members", "/users/groupmember_list?group=5", { role: 2, me: 3 });
    await user.click(await menu("lijia"));
    expect(screen.queryByRole("menuitem", { name: "退出用户组" })).toBeNull();
    await user.keyboard("{Escape}");
    await user.click(await menu("chenyu"));
    await user.click(await screen.findByRole("menuitem", { name: "退出用户组" }));
    await user.click(within(await dialogue("退出用户组 计算机视觉？")).getByRole("button", { name: "退出" }));
    expect(await screen.findByText("已退出用户组 计算机视觉")).toBeTruthy();
    expect(server.count("DELETE /api/profile/groups/5")).toBe(1);
    await waitFor(() => expect(search().get("group")).toBeNull());
  });

  it("says why somebody who was assigned stays", async () => {
    const { user } = start("members", "/users/groupmember_list?group=5", { role: 2, me: 2 });
    await user.click(await menu("zhangmin"));
    const item = await screen.findByRole("menuitem", { name: /退出用户组/ });
    expect(item.textContent).toContain("由管理员加入，退出请联系管理员");
    expect(item.getAttribute("aria-disabled")).toBe("true");
  });

  it("S060 says so to somebody who is in no group", async () => {
    start("members", "/users/groupmember_list", { role: 2, me: 9 }, []);
    expect(await screen.findByText("你还不在任何用户组里")).toBeTruthy();
  });
});
