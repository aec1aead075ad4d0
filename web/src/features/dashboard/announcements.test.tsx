import { cleanup, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Announcement } from "@/shared/api/announcements";
import { renderPage } from "@/shared/list/render-page";
import { json, serve } from "@/test-server";
import { Announcements } from "./Announcements";
import { useReadAnnouncements } from "./read-announcements";
import { UnreadAnnouncements } from "./UnreadAnnouncements";

const one: Announcement = {
  id: "a1",
  title: "周五停机",
  content: "请提前保存",
  author: "root",
  created: "2026-11-20T10:00:00Z",
  updated: "2026-11-20T10:00:00Z",
  important: false,
  until: null,
};

function Page() {
  const reading = useReadAnnouncements();
  return (
    <>
      <UnreadAnnouncements admin={false} reading={reading} />
      <Announcements admin={false} reading={reading} />
    </>
  );
}

const show = (item: Announcement, me = 7) => {
  serve({ "GET /api/announcements": () => json({ items: [item], total: 1 }) });
  return renderPage(Page, { at: "/dashboard", role: 2, me });
};

const unread = () => screen.queryByRole("region", { name: "未读公告" });

it("an announcement folds after reading, and stays folded", async () => {
  const { user } = show(one);
  await user.click(await screen.findByRole("button", { name: "知道了：周五停机" }));
  expect(unread()).toBeNull();
  const folded = screen.getByText("周五停机").closest("details");
  expect(folded?.open).toBe(false);
  await user.click(screen.getByText("周五停机"));
  expect(folded?.open).toBe(true);
  cleanup();
  show(one);
  expect((await screen.findByText("周五停机")).closest("details")?.open).toBe(false);
  expect(unread()).toBeNull();
});

it("a changed one is unread again, and another user has read nothing", async () => {
  const { user } = show(one);
  await user.click(await screen.findByRole("button", { name: /^知道了/ }));
  cleanup();
  show({ ...one, updated: "2026-11-21T10:00:00Z" });
  expect(await screen.findByRole("button", { name: /^知道了/ })).toBeTruthy();
  cleanup();
  show(one, 8);
  expect(await screen.findByRole("button", { name: /^知道了/ })).toBeTruthy();
});

it.each(["[", "null", '{"7": 3}', '{"7": [null]}', '"x"'])(
  "what is stored damaged, as %s, is as good as nothing",
  async (text) => {
    localStorage.setItem("announcements_read", text);
    const { user } = show(one);
    await user.click(await screen.findByRole("button", { name: "知道了：周五停机" }));
    expect(unread()).toBeNull();
  },
);

it("one's own needs no reading, and one that is over does not ask for it", async () => {
  show({ ...one, author: "admin" });
  await waitFor(() => expect(screen.getByText("周五停机")).toBeTruthy());
  expect(unread()).toBeNull();
  cleanup();
  show({ ...one, until: "2026-11-01T10:00:00Z" });
  await waitFor(() => expect(screen.getByText("周五停机")).toBeTruthy());
  expect(unread()).toBeNull();
});
