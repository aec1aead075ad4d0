import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components as diskComponents } from "@/shared/api/disk";
import { askDisk, diskClient } from "@/shared/api/disk-client";
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
export const diskUsageQuery = (host: string) =>
  queryOptions({
    queryKey: ["netdisk", "usage", host, "/"],
    queryFn: ({ signal }) =>
      askDisk(diskClient(host).GET("/api/usage/{path}", { params: { path: { path: "/" } }, signal })),
    enabled: host !== "",
    refetchInterval: 60_000,
  });
