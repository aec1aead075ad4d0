// Holdings of people who leave, their plans, and the progress of each departure.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";

export type Departure = components["schemas"]["Departure"];
export type DepartureDetail = components["schemas"]["DepartureDetail"];
export type DepartureItem = components["schemas"]["DepartureItem"];
export type DepartureState = components["schemas"]["DepartureState"];
export type ItemState = components["schemas"]["DepartureItemState"];
export type Holdings = components["schemas"]["DepartureHoldings"];
export type Kind = components["schemas"]["HoldingKind"];
export type Action = components["schemas"]["DepartureAction"];
export type Plan = components["schemas"]["DeparturePlan"];

/** Interval while a departure runs and the user waits for it. */
const runningMs = 2000;

const isState = (text: string | undefined): text is DepartureState =>
  text === "planned" || text === "running" || text === "failed" || text === "done";

export interface DepartureListParams {
  page: number;
  size: number;
  q: string;
  state: string | undefined;
}

export const departuresQuery = ({ page, size, q, state }: DepartureListParams) => {
  const query = { page, size, ...(q && { q }), ...(isState(state) && { state }) };
  return queryOptions({
    queryKey: ["departures", "list", query],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/departures", { params: { query }, signal })),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some((one) => one.state === "running") ? runningMs : false,
    placeholderData: keepPreviousData,
  });
};

export const departureQuery = (id: string) =>
  queryOptions({
    queryKey: ["departures", "one", id],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/departures/{id}", { params: { path: { id } }, signal })),
    enabled: id !== "",
    refetchInterval: ({ state: { data } }) => (data?.state === "running" ? runningMs : false),
  });

/** Everything that a person has. Always fetched, since a plan is made for the present state. */
export const holdingsQuery = (user: number) =>
  queryOptions({
    queryKey: ["departures", "holdings", user],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/departures/holdings/{user}", { params: { path: { user } }, signal })),
    staleTime: 0,
  });

/** The accounts with exactly these names; `missing` are names without an account. */
export const peopleNamedQuery = (names: readonly string[]) =>
  queryOptions({
    queryKey: ["users", "named", names],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(
        names.map((q) =>
          unwrap(portal.GET("/api/users", { params: { query: { q, page: 1, size: 200 } }, signal })),
        ),
      );
      const found = names.map((name, at) =>
        lists[at]?.items.find((user) => user.username.toLowerCase() === name.toLowerCase()),
      );
      return {
        people: found.filter((user) => user !== undefined),
        missing: names.filter((_, at) => found[at] === undefined),
      };
    },
    enabled: names.length > 0,
  });

/** All objects of the person may have changed their owner. */
const affected = ["departures", "users", "groups", "instances", "images", "datasets", "dashboard", "logs"];

export const useStartDeparture = () =>
  useAffecting(affected, (body: components["schemas"]["DepartureForm"]) =>
    unwrap(portal.POST("/api/departures", { body })),
  );

export const useCancelDeparture = () =>
  useAffecting(affected, (id: string) =>
    unwrap(portal.DELETE("/api/departures/{id}", { params: { path: { id } } })),
  );

export const useRetryDeparture = () =>
  useAffecting(affected, ({ id, plan }: { id: string; plan: Plan | null }) =>
    unwrap(portal.POST("/api/departures/{id}/retry", { params: { path: { id } }, body: { plan } })),
  );

export const departureFile = (id: string): Promise<Blob> =>
  unwrap(
    portal.GET("/api/departures/{id}/file", {
      params: { path: { id } },
      headers: { accept: "text/csv" },
      parseAs: "blob",
    }),
  );
