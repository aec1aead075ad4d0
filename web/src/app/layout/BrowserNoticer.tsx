// Has the browser show new notices while the page is not looked at.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { useNavigate } from "react-router";
import { noticesQuery, pageOf, unreadQuery, useMarkNotices } from "@/shared/notices/api";
import { showBrowserNotice, useBrowserNotices } from "@/shared/notices/browser-notices";

/** More at once would only be cleared away. */
const most = 3;

export function BrowserNoticer() {
  const on = useBrowserNotices(({ state }) => state === "on");
  const unread = useQuery(unreadQuery).data?.unread;
  const before = useRef(unread);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const mark = useMarkNotices();

  const show = useEffectEvent(async (count: number) => {
    const query = noticesQuery({ page: 1, size: Math.min(count, most), unread: true });
    // Without an answer there is nothing to show; the bell asks again by itself.
    const newest = await cache.fetchQuery({ ...query, staleTime: 0 }).catch(() => null);
    for (const notice of newest?.items ?? []) {
      showBrowserNotice(notice, () => {
        mark.mutate({ ids: [notice.id] });
        void navigate(pageOf(notice));
      });
    }
  });

  useEffect(() => {
    const more = unread !== undefined && before.current !== undefined ? unread - before.current : 0;
    before.current = unread;
    if (on && more > 0 && document.visibilityState === "hidden") void show(more);
  }, [on, unread]);

  return null;
}
