import { useQuery, useQueryClient } from "@tanstack/react-query";
import { act, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { noticesKey, unreadQuery } from "@/shared/notices/api";
import {
  turnOffBrowserNotices,
  turnOnBrowserNotices,
  useBrowserNotices,
} from "@/shared/notices/browser-notices";
import { notice } from "@/shared/notices/mock";
import { json, serve } from "@/test-server";
import { BrowserNoticer } from "./BrowserNoticer";

interface Shown {
  title: string;
  options: NotificationOptions;
  onclick: (() => void) | null;
}

const shown: Shown[] = [];
let permission: NotificationPermission = "default";
let answer: NotificationPermission = "granted";

class FakeNotification implements Shown {
  static get permission() {
    return permission;
  }
  static async requestPermission() {
    permission = answer;
    return permission;
  }
  onclick: (() => void) | null = null;
  title: string;
  options: NotificationOptions;
  constructor(title: string, options: NotificationOptions) {
    this.title = title;
    this.options = options;
    shown.push(this);
  }
  close() {}
}

beforeEach(() => {
  shown.length = 0;
  permission = "default";
  answer = "granted";
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("Notification", FakeNotification);
});

afterEach(() => {
  turnOffBrowserNotices();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const look = (state: DocumentVisibilityState) =>
  vi.spyOn(document, "visibilityState", "get").mockReturnValue(state);

/** The frame's part, and a button that does what the portal's broadcast does. */
async function start() {
  let unread = 1;
  const sent: unknown[] = [];
  serve({
    "GET /api/notices/unread": () => json({ unread }),
    "GET /api/notices": () => json({ items: [notice()], total: 1, unread, groups: [] }),
    "POST /api/notices/read": async (request) => {
      sent.push(await request.json());
      return json({ unread: 0 });
    },
  });
  const page = renderPage(Frame, { at: "/" });
  await screen.findByText("1 条");
  async function more() {
    unread += 1;
    await page.user.click(screen.getByRole("button", { name: "有新通知" }));
    await screen.findByText(`${unread} 条`);
  }
  return { ...page, sent, more };
}

function Frame() {
  const cache = useQueryClient();
  const unread = useQuery(unreadQuery).data?.unread;
  return (
    <>
      <BrowserNoticer />
      <p>{unread} 条</p>
      <button type="button" onClick={() => void cache.invalidateQueries({ queryKey: [noticesKey] })}>
        有新通知
      </button>
    </>
  );
}

describe("notices outside of the page", () => {
  it("are shown while the page is not looked at, and lead to what they are about", async () => {
    await turnOnBrowserNotices();
    const { more, router, sent } = await start();
    look("hidden");
    await more();
    await waitFor(() => expect(shown).toHaveLength(1));
    const [first] = shown;
    expect(first?.title).toBe("工单 #12 显存报错");
    expect(first?.options).toMatchObject({ body: "admin 回复了工单", tag: "n1" });
    act(() => first?.onclick?.());
    await waitFor(() => expect(router.state.location.pathname).toBe("/profile/worksheet"));
    await waitFor(() => expect(sent).toEqual([{ ids: ["n1"] }]));
  });

  it("are not shown to those who look at the page, or did not want them", async () => {
    await turnOnBrowserNotices();
    const { more } = await start();
    look("visible");
    await more();
    turnOffBrowserNotices();
    look("hidden");
    await more();
    expect(shown).toEqual([]);
  });

  it("need the browser's leave and a secure line", async () => {
    answer = "denied";
    await turnOnBrowserNotices();
    expect(useBrowserNotices.getState().state).toBe("denied");
    permission = "granted";
    turnOffBrowserNotices();
    expect(useBrowserNotices.getState().state).toBe("off");
    vi.stubGlobal("isSecureContext", false);
    turnOffBrowserNotices();
    expect(useBrowserNotices.getState().state).toBe("insecure");
  });
});
