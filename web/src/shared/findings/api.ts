// Findings of the watch on instances, for its page and for the bell in the frame. Administrators only.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";

export type Finding = components["schemas"]["Finding"];
export type FindingKind = Finding["kind"];
export type FindingState = Finding["state"];

/** Below it lies everything that shows findings. */
export const findingsKey = "findings";

export const findingsPage = "/servers/finding_list";

export interface FindingFilter {
  page: number;
  size: number;
  sort: string;
  order: "asc" | "desc";
  q?: string;
  state?: FindingState;
  kind?: FindingKind;
}

/** The socket announces new ones at once; this interval is for their counts, and for a broken socket. */
const calmMs = 60_000;

export const findingsQuery = (query: FindingFilter) =>
  queryOptions({
    queryKey: [findingsKey, query],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/findings", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: calmMs,
  });

/** The number of open ones. */
export const openFindingsQuery = findingsQuery({
  page: 1,
  size: 1,
  sort: "lastSeen",
  order: "desc",
  state: "open",
});
