// A user's notices: for the bell in the frame and for their page.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";

export type Notice = components["schemas"]["UserNotice"];
export type NoticeKind = Notice["kind"];
export type NoticeGroup = components["schemas"]["NoticeGroup"];
export type NoticeGroupCount = components["schemas"]["NoticeGroupCount"];

/** Below it lies everything that shows notices. */
export const noticesKey = "notices";

export const noticesPage = "/notices";

export interface NoticeFilter {
  page: number;
  size: number;
  unread?: boolean;
  group?: NoticeGroup;
}

/** The socket announces new ones at once; this interval is for a broken socket. */
const calmMs = 60_000;

export const noticesQuery = (query: NoticeFilter) =>
  queryOptions({
    queryKey: [noticesKey, "list", query],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/notices", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: calmMs,
  });

export const unreadQuery = queryOptions({
  queryKey: [noticesKey, "unread"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/notices/unread", { signal })),
  refetchInterval: calmMs,
});

/** Which notices count as read now: some, all of a group or of everything; or some as not read again. */
export type NoticeMark = { ids: string[]; unread?: boolean } | { all: true; group?: NoticeGroup };

/** On all devices. */
export const useMarkNotices = () =>
  useAffecting([noticesKey], (body: NoticeMark) => unwrap(portal.POST("/api/notices/read", { body })));

/** Removes the read ones. */
export const useClearNotices = () =>
  useAffecting([noticesKey], (_: undefined) => unwrap(portal.DELETE("/api/notices")));

/** A page of ours, whatever the server sends: `//host` would be another site. */
export const pageOf = ({ link }: Pick<Notice, "link">): string => `/${link.replace(/^[/\\]+/, "")}`;
