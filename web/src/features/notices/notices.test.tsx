import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { pageOf } from "@/shared/notices/api";
import { notice } from "@/shared/notices/mock";
import { json, problem, serve } from "@/test-server";
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
      return json(list);
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
          fails ? problem(500, "internal", "服务器出错了") : json({ items: [], total: 0, unread: 0 }),
      },
    );
    expect(await screen.findByText("通知没有取到")).toBeTruthy();
    expect(screen.getByText("服务器出错了")).toBeTruthy();
    fails = false;
    await user.click(screen.getByRole("button", { name: "重试" }));
    expect(await screen.findByText("没有通知")).toBeTruthy();
    expect(screen.getByRole("button", { name: "全部标为已读" })).toHaveProperty("disabled", true);
  });

  it("never leads to another site", () => {
    expect(pageOf({ link: "//evil.example/x" })).toBe("/evil.example/x");
    expect(pageOf({ link: "/\\evil.example" })).toBe("/evil.example");
    expect(pageOf({ link: "javascript:alert(1)" })).toBe("/javascript:alert(1)");
  });
});
