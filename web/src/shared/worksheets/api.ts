// What the server knows of work orders, for the pages of them, the badge in the frame and the dashboard.
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

/** The socket tells of most changes at once; this is for the others, and for when it is cut. */
const calmMs = 60_000;

export const worksheetsQuery = (query: WorksheetFilter) =>
  queryOptions({
    queryKey: [worksheetsKey, "list", query],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/worksheets", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: calmMs,
  });

/** The open ones that were touched last: everybody's for administrators, else one's own. Also has the counts. */
export const openWorksheetsQuery = (admin: boolean) =>
  worksheetsQuery({ page: 1, size: 5, sort: "Updated", order: "desc", open: true, mine: !admin });

/** Whose badge counts what: administrators see what is to be done, others where something happened. */
export const badgeOf = (list: WorksheetList | undefined, admin: boolean): number =>
  (admin ? list?.UnDoTotal : list?.unread) ?? 0;

const page = "/profile/worksheet";

/** What a new order says before its author writes anything. */
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
