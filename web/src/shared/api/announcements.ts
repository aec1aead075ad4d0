// Announcements of administrators to all users.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "./client";
import type { components } from "./portal";

export type Announcement = components["schemas"]["Announcement"];
export type AnnouncementForm = components["schemas"]["AnnouncementForm"];

export const announcementsKey = "announcements";

/** Current announcements; with `over` also past ones, which only administrators get. */
export const announcementsQuery = (over: boolean) =>
  queryOptions({
    queryKey: [announcementsKey, { over }],
    queryFn: ({ signal }) => {
      const query = { page: 1, size: 20, ...(over && { over }) };
      return unwrap(portal.GET("/api/announcements", { params: { query }, signal }));
    },
    // Some end by themselves.
    refetchInterval: 300_000,
  });
