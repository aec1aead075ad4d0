// Alerts, and silencing them.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";
import { alertsKey } from "./key";

export type Alert = components["schemas"]["Alert"];
export type AlertKind = Alert["kind"];
export type AlertSeverity = Alert["severity"];
export type AlertState = Alert["state"];

export interface AlertFilter {
  page: number;
  size: number;
  sort: string;
  order: "asc" | "desc";
  q?: string;
  state?: AlertState;
  kind?: AlertKind;
}

/** The socket announces changes at once; this interval is for silences that end, and for a broken socket. */
const calmMs = 60_000;

export const alertsQuery = (query: AlertFilter) =>
  queryOptions({
    queryKey: [alertsKey, query],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/alerts", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: calmMs,
  });

export const useSilence = () =>
  useAffecting([alertsKey, "logs"], ({ id, hours }: { id: string; hours: number }) =>
    unwrap(portal.POST("/api/alerts/{id}/silence", { params: { path: { id } }, body: { hours } })),
  );

export const useUnsilence = () =>
  useAffecting([alertsKey, "logs"], (id: string) =>
    unwrap(portal.DELETE("/api/alerts/{id}/silence", { params: { path: { id } } })),
  );
