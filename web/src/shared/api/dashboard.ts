// The user's holdings and quotas and, for administrators, the whole lab's: for the first page and for forms about
// quotas.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "./client";
import type { components } from "./portal";

export type Quotas = components["schemas"]["DashboardQuotas"];
export type AdminFigures = components["schemas"]["DashboardAdmin"];

export const dashboardQuery = queryOptions({
  queryKey: ["dashboard"],
  queryFn: () => unwrap(portal.GET("/api/dashboard")),
  // Other users' changes count, too; a page that is left open should not be outdated for long.
  refetchInterval: 60_000,
});
