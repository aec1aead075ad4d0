import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components as diskComponents } from "@/shared/api/disk";
import { disk, storageAddress } from "@/shared/api/disk-client";
import type { components } from "@/shared/api/portal";

export type Quotas = components["schemas"]["DashboardQuotas"];
export type AdminFigures = components["schemas"]["DashboardAdmin"];

export const dashboardQuery = queryOptions({
  queryKey: ["dashboard"],
  queryFn: () => unwrap(portal.GET("/api/dashboard")),
  // What others do changes it too; a page left open should not lie for long.
  refetchInterval: 60_000,
});

export type DiskUsage = diskComponents["schemas"]["Usage"];

/** Of my own files; an administrator's root is the whole storage. The storage host is asked itself: it counts them. */
export const diskUsageQuery = queryOptions({
  queryKey: ["netdisk", "usage", "/"],
  queryFn: () =>
    unwrap(disk.GET("/api/usage/{path}", { baseUrl: storageAddress(), params: { path: { path: "" } } })),
  refetchInterval: 60_000,
});
