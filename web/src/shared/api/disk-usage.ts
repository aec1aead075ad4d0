// The user's use of the disk, from the storage host, which counts it.
import { queryOptions } from "@tanstack/react-query";
import type { components } from "./disk";
import { askDisk, diskClient } from "./disk-client";

export type DiskUsage = components["schemas"]["Usage"];

/** Of my own files and datasets; an administrator's root is the whole storage. */
export const diskUsageQuery = (host: string, folder = "/") =>
  queryOptions({
    queryKey: ["netdisk", "usage", host, folder],
    queryFn: ({ signal }) =>
      askDisk(diskClient(host).GET("/api/usage/{path}", { params: { path: { path: folder } }, signal })),
    enabled: host !== "",
    refetchInterval: 60_000,
  });
