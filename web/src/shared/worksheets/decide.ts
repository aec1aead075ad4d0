// Deciding on a request. Approving also changes quotas and allocations.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";
import { worksheetsKey } from "./api";

type Schemas = components["schemas"];
export type WorksheetApproval = Schemas["WorksheetApproval"];
export type WorksheetQuotas = Schemas["WorksheetQuotas"];
export type WorksheetCards = Schemas["WorksheetCards"];

const named = (id: string) => ({ params: { path: { id } } });

export const worksheetQuery = (id: string) =>
  queryOptions({
    queryKey: [worksheetsKey, "one", id],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/worksheets/{id}", { ...named(id), signal })),
    refetchInterval: 30_000,
  });

const decided = [worksheetsKey, "users", "allocations", "servers", "gpus", "dashboard", "netdisk", "logs"];

export const useApprove = () =>
  useAffecting(decided, ({ id, body }: { id: string; body: WorksheetApproval }) =>
    unwrap(portal.POST("/api/worksheets/{id}/approve", { ...named(id), body })),
  );

export const useReject = () =>
  useAffecting([worksheetsKey, "logs"], ({ id, reason }: { id: string; reason: string }) =>
    unwrap(portal.POST("/api/worksheets/{id}/reject", { ...named(id), body: { reason } })),
  );
