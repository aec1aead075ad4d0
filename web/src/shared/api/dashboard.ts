// What one has, may and, as an administrator, watches over: for the first page and for whoever asks for quotas.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "./client";
import type { components } from "./portal";

export type Quotas = components["schemas"]["DashboardQuotas"];
export type AdminFigures = components["schemas"]["DashboardAdmin"];

export const dashboardQuery = queryOptions({
  queryKey: ["dashboard"],
  queryFn: () => unwrap(portal.GET("/api/dashboard")),
  // What others do changes it too; a page left open should not lie for long.
  refetchInterval: 60_000,
});
