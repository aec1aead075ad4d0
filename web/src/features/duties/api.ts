// Fetches the background duties, requests a run, and trusts the clock again.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { clockKey } from "@/shared/clock/api";
import { useAffecting } from "@/shared/list/use-affecting";

export type DutyList = components["schemas"]["DutyList"];
export type DutyView = components["schemas"]["DutyView"];
export type DutyInPortal = components["schemas"]["DutyInPortal"];
export type DutyFailure = components["schemas"]["DutyFailure"];

/** Most duties run every few seconds. */
const freshMs = 3000;

export const dutiesQuery = queryOptions({
  queryKey: ["duties"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/duties", { signal })),
  refetchInterval: freshMs,
});

/** By the duty's name. The answer does not wait for the run. */
export const useRunDuty = () =>
  useAffecting(["duties", "logs"], (name: string) =>
    unwrap(portal.POST("/api/duties/{name}/run", { params: { path: { name } } })),
  );

export const useReleaseClock = () =>
  useAffecting([clockKey, "duties", "logs"], () => unwrap(portal.POST("/api/clock/release")));
