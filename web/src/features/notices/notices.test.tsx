import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { makeInstance } from "@/shared/compute/mock";
import { renderPage } from "@/shared/list/render-page";
import { pageOf } from "@/shared/notices/api";
import { daysOf, newestOfEach } from "@/shared/notices/days";
import { notice } from "@/shared/notices/mock";
import { json, noWorksheets, problem, serve } from "@/test-server";
import NoticesPage from "./NoticesPage";

const unread = notice();
const read = notice({
  id: "n2",
  title: "实例 ins_ann 已暂停",
  kind: "instance_suspended",
  read: unread.created,
});

function start(list: object, others: Parameters<typeof serve>[0] = {}, at = "/notices") {
  const asked: string[] = [];
  const sent: unknown[] = [];
  const server = serve({
    "GET /api/notices": (request) => {
      asked.push(new URL(request.url).search);
      return json({ groups: [], ...list });
    },
    "POST /api/notices/read": async (request) => {
      sent.push(await request.json());
      return json({ unread: 0 });
    },
    "DELETE /api/notices": () => new Response(null, { status: 204 }),
    ...others,
  });
  return { asked, sent, ...server, ...renderPage(NoticesPage, { at }) };
}

describe("通知", () => {
  it("shows what was told, marks what is opened as read and leads to it", async () => {
    const { sent, user, router } = start({ items: [unread, read], total: 2, unread: 1 });
    const link = await screen.findByRole("link", { name: /工单 #12 显存报错/ });
    expect(link.textContent).toContain("未读：");
    expect(screen.getByRole("link", { name: /已暂停/ }).textContent).not.toContain("未读");
    expect(screen.getByText("1 条未读")).toBeTruthy();
    await user.click(link);
    await waitFor(() => expect(sent).toEqual([{ ids: ["n1"] }]));
    expect(router.state.location.pathname + router.state.location.search).toBe("/profile/worksheet?one=7");
  });

  it("marks what was read only once", async () => {
    const { sent, user } = start({ items: [read], total: 1, unread: 0 });
    await user.click(await screen.findByRole("link", { name: /已暂停/ }));
    expect(sent).toEqual([]);
  });

  it("marks all as read, clears what was read, and filters and turns pages by the address", async () => {
    const many = { items: [unread], total: 45, unread: 3 };
    const { asked, sent, user, search, count } = start(many, {}, "/notices?page=2");
    await user.click(await screen.findByRole("button", { name: "全部标为已读" }));
    await waitFor(() => expect(sent).toEqual([{ all: true }]));
    await user.click(screen.getByRole("button", { name: "清除已读" }));
    await waitFor(() => expect(count("DELETE /api/notices")).toBe(1));
    expect(asked[0]).toBe("?page=2&size=20");
    await user.click(screen.getByText("未读", { exact: true }));
    await waitFor(() => expect(asked.at(-1)).toBe("?page=1&size=20&unread=true"));
    expect(search().get("unread")).toBe("true");
    await user.click(screen.getByTitle("3"));
    await waitFor(() => expect(search().get("page")).toBe("3"));
  });

  it("says that there is nothing, and why nothing came", async () => {
    let fails = true;
    const { user } = start(
      {},
      {
        "GET /api/notices": () =>
          fails
            ? problem(500, "internal", "服务器出错了")
            : json({ items: [], total: 0, unread: 0, groups: [] }),
      },
    );
    expect(await screen.findByText("通知没有取到")).toBeTruthy();
    expect(screen.getByText("服务器出错了")).toBeTruthy();
    fails = false;
    await user.click(screen.getByRole("button", { name: "重试" }));
    expect(await screen.findByText("没有通知")).toBeTruthy();
    expect(screen.getByRole("button", { name: "全部标为已读" })).toHaveProperty("disabled", true);
  });

  it("shows one group, with how many of each were not read, and marks it alone", async () => {
    const groups = [
      { group: "worksheets", total: 2, unread: 1 },
      { group: "instances", total: 1, unread: 0 },
    ];
    const { asked, sent, user, search } = start({ items: [unread, read], total: 2, unread: 1, groups });
    await user.click(await screen.findByText("工单 1"));
    await waitFor(() => expect(asked.at(-1)).toBe("?page=1&size=20&group=worksheets"));
    expect(search().get("group")).toBe("worksheets");
    await user.click(screen.getByRole("button", { name: "工单标为已读" }));
    await waitFor(() => expect(sent).toEqual([{ all: true, group: "worksheets" }]));
    await user.click(screen.getByText("我的实例", { exact: true }));
    await waitFor(() => expect(asked.at(-1)).toBe("?page=1&size=20&group=instances"));
    await waitFor(() =>
      expect(screen.getByRole("button", { name: "我的实例标为已读" })).toHaveProperty("disabled", true),
    );
  });

  it("keeps one for later, or lays it aside, without opening it", async () => {
    const { sent, user, router } = start({ items: [unread, read], total: 2, unread: 1 });
    await user.click(await screen.findByRole("button", { name: "标为已读：工单 #12 显存报错" }));
    await user.click(screen.getByRole("button", { name: "标为未读：实例 ins_ann 已暂停" }));
    await waitFor(() =>
      expect(sent).toEqual([
        { ids: ["n1"], unread: false },
        { ids: ["n2"], unread: true },
      ]),
    );
    expect(router.state.location.pathname).toBe("/notices");
  });

  it("answers an order in place, and keeps the words that were refused", async () => {
    const replies: unknown[] = [];
    let fails = true;
    const { sent, user } = start(
      { items: [unread, notice({ id: "n0" })], total: 2, unread: 2 },
      {
        "POST /api/worksheets/7/replies": async (request) => {
          if (fails) return problem(409, "worksheet_closed", "工单已关闭，不能再回复");
          replies.push(await request.json());
          return json({});
        },
      },
    );
    // Offered once, however many notices are about it.
    const begin = await screen.findByRole("button", { name: "回复：工单 #12 显存报错" });
    await user.click(begin);
    const field = screen.getByRole("textbox", { name: "回复内容" });
    await user.type(field, " 好的 {Control>}{Enter}{/Control}");
    expect(await screen.findByText("工单已关闭，不能再回复")).toBeTruthy();
    expect(field).toHaveProperty("value", " 好的 ");
    fails = false;
    await user.click(screen.getByRole("button", { name: "发送" }));
    await waitFor(() => expect(replies).toEqual([{ content: "好的" }]));
    await waitFor(() => expect(sent).toEqual([{ ids: ["n1"] }]));
    expect(screen.queryByRole("textbox", { name: "回复内容" })).toBeNull();
  });

  it("decides on a request in place, as long as it waits for that", async () => {
    const requester = { id: 2, username: "zhangmin", name: "张敏" };
    const asked = {
      id: "7",
      number: 12,
      type: "quota",
      title: "名额",
      state: "undo",
      requester,
      handler: null,
      decision: null,
      quotas: { instanceLimit: 5 },
      cards: null,
    };
    const refusals: unknown[] = [];
    let waits = true;
    const created = notice({ kind: "worksheet_created", title: "工单 #12 名额" });
    const { user } = start(
      { items: [created], total: 1, unread: 1 },
      {
        "GET /api/worksheets": () => json({ ...noWorksheets, Worksheets: waits ? [asked] : [] }),
        "GET /api/worksheets/7": () => json({ ...asked, entries: [], holdings: null }),
        "POST /api/worksheets/7/reject": async (request) => {
          refusals.push(await request.json());
          waits = false;
          return json({});
        },
      },
    );
    await user.click(await screen.findByRole("button", { name: "审批：工单 #12 名额" }));
    expect(await screen.findByRole("table", { name: "申请的配额" })).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "驳回" }));
    const refusing = await screen.findByRole("dialog", { name: "驳回 张敏 的申请" });
    await user.type(within(refusing).getByLabelText("原因"), "名额不够");
    await user.click(within(refusing).getByRole("button", { name: "驳回" }));
    await waitFor(() => expect(refusals).toEqual([{ reason: "名额不够" }]));
    await waitFor(() => expect(screen.queryByRole("table", { name: "申请的配额" })).toBeNull());
    expect(screen.queryByRole("button", { name: /^审批/ })).toBeNull();
    expect(screen.getByRole("button", { name: /^回复/ })).toBeTruthy();
  });

  it("puts off an end in place, as long as there is one", async () => {
    const sent: unknown[] = [];
    const about = { object: "instance", kind: "instance_stopping", group: "instances" } as const;
    const items = [
      notice({ ...about, id: "a", objectId: "i1", title: "实例 甲 将于 20:00 停止" }),
      notice({ ...about, id: "b", objectId: "i2", title: "实例 乙 将于 20:00 停止" }),
    ];
    const running = makeInstance({ id: "i1", name: "ins_a", note: "甲", stopAt: "2126-11-20T10:00:00Z" });
    const endless = makeInstance({ id: "i2", name: "ins_b", note: "乙" });
    const { user } = start(
      { items, total: 2, unread: 2 },
      {
        "GET /api/instances": () => json({ items: [running, endless], total: 2 }),
        "POST /api/instances/i1/extend": async (request) => {
          sent.push(await request.json());
          return json(running);
        },
      },
    );
    await user.click(await screen.findByRole("button", { name: "续期 24 小时：甲" }));
    await waitFor(() => expect(sent).toEqual([{ stopAt: "2126-11-21T10:00:00.000Z" }]));
    expect(screen.queryByRole("button", { name: /续期.*乙/ })).toBeNull();
  });

  it("has the acts of one's own instance, and none of another's", async () => {
    const about = { object: "instance", kind: "instance_frozen", group: "instances" } as const;
    const items = [
      notice({ ...about, id: "a", objectId: "i1", title: "实例 ins_a 已冻结" }),
      notice({ ...about, id: "b", objectId: "i9", title: "实例 ins_z 已冻结" }),
    ];
    const mine = makeInstance({ id: "i1", name: "ins_a", state: "stopped" });
    start({ items, total: 2, unread: 2 }, { "GET /api/instances": () => json({ items: [mine], total: 1 }) });
    expect(await screen.findByRole("button", { name: /启动/ })).toBeTruthy();
    expect(screen.getAllByRole("button", { name: /更多/ })).toHaveLength(1);
  });

  it("answers an invitation in place until it is answered", async () => {
    let open = true;
    const invited = notice({
      kind: "group_invited",
      group: "user_groups",
      object: "user_group",
      objectId: "3",
      title: "用户组 视觉",
    });
    const invitation = { id: 3, name: "视觉", description: "", leaders: [], memberCount: 4, invitedBy: null };
    const times = { invited: "2026-11-20T10:00:00Z", expires: "2026-11-27T10:00:00Z" };
    const { user } = start(
      { items: [invited], total: 1, unread: 1 },
      {
        "GET /api/profile/group-invitations": () => {
          const items = open ? [{ ...invitation, ...times }] : [];
          return json({ items, total: items.length });
        },
        "POST /api/profile/group-invitations/3/accept": () => {
          open = false;
          return new Response(null, { status: 204 });
        },
      },
    );
    const accept = await screen.findByRole("button", { name: "接受 视觉 的邀请" });
    expect(screen.getByText(/组长可以看到和停止你的实例/)).toBeTruthy();
    await user.click(accept);
    await waitFor(() => expect(screen.queryByRole("button", { name: /视觉 的邀请/ })).toBeNull());
  });

  it("has a heading for each day", () => {
    const now = new Date(2026, 10, 20, 12);
    const at = (day: number, hour = 9) => new Date(2026, 10, day, hour).toISOString();
    const items = [
      notice({ id: "1", created: at(20) }),
      notice({ id: "2", created: at(19, 23) }),
      notice({ id: "3", created: at(19, 1), objectId: "8" }),
      notice({ id: "4", created: at(18) }),
    ];
    expect(daysOf(items, now).map(({ title, notices }) => [title, notices.length])).toEqual([
      ["今天", 1],
      ["昨天", 2],
      ["11-18 周三", 1],
    ]);
    expect([...newestOfEach(items)]).toEqual(["1", "3"]);
  });

  it("never leads to another site", () => {
    expect(pageOf({ link: "//evil.example/x" })).toBe("/evil.example/x");
    expect(pageOf({ link: "/\\evil.example" })).toBe("/evil.example");
    expect(pageOf({ link: "javascript:alert(1)" })).toBe("/javascript:alert(1)");
  });
});
