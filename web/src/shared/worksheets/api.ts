// The server's data about work orders, for their pages, the badge in the frame and the dashboard.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";

type Schemas = components["schemas"];
export type Worksheet = Schemas["WorksheetView"];
export type WorksheetDetail = Schemas["WorksheetDetail"];
export type WorksheetEntry = Schemas["WorksheetEntry"];
export type WorksheetList = Schemas["WorksheetList"];
export type WorksheetAttachment = Schemas["WorksheetAttachment"];
export type WorksheetState = Worksheet["state"];
export type WorksheetKind = Worksheet["type"];
export type WorksheetPriority = Worksheet["priority"];

/** Below it lies everything that shows work orders. */
export const worksheetsKey = "worksheets";

export interface WorksheetFilter {
  page: number;
  size: number;
  sort: string;
  order: "asc" | "desc";
  q?: string;
  state?: WorksheetState;
  open?: boolean;
  type?: WorksheetKind;
  mine?: boolean;
}

/** The socket announces most changes at once; this interval is for the others, and for a broken socket. */
const calmMs = 60_000;

export const worksheetsQuery = (query: WorksheetFilter) =>
  queryOptions({
    queryKey: [worksheetsKey, "list", query],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/worksheets", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: calmMs,
  });

/** The open ones with the latest activity: all for administrators, otherwise the user's own. Also has the counts. */
export const openWorksheetsQuery = (admin: boolean) =>
  worksheetsQuery({ page: 1, size: 5, sort: "Updated", order: "desc", open: true, mine: !admin });

/** The count of the badge: for administrators open orders, for others their orders with news. */
export const badgeOf = (list: WorksheetList | undefined, admin: boolean): number =>
  (admin ? list?.UnDoTotal : list?.unread) ?? 0;

const page = "/profile/worksheet";

/** The prefilled content of a new order. */
export interface WorksheetPrefill {
  title?: string;
  content?: string;
  /** The id of the instance that it concerns. */
  instance?: string;
}

export const worksheetLinks = {
  list: page,
  one: (id: string) => `${page}?one=${encodeURIComponent(id)}`,
  ask: (type: WorksheetKind, prefill: WorksheetPrefill = {}) =>
    `${page}?${new URLSearchParams({ panel: "new", ask: type, ...prefill }).toString()}`,
} as const;
