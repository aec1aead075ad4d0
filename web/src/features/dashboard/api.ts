import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";

export type Quotas = components["schemas"]["DashboardQuotas"];
export type AdminFigures = components["schemas"]["DashboardAdmin"];

export const dashboardQuery = queryOptions({
  queryKey: ["dashboard"],
  queryFn: () => unwrap(portal.GET("/api/dashboard")),
  // What others do changes it too; a page left open should not lie for long.
  refetchInterval: 60_000,
});
