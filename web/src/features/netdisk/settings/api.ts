// What administrators of the disk set: for everybody, and for each person.
import { queryOptions } from "@tanstack/react-query";
import type { components } from "@/shared/api/disk";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import { useAffecting } from "@/shared/list/use-affecting";
import type { DiskUser } from "../account/api";

export type DiskSettings = components["schemas"]["Settings"];
export type Profile = components["schemas"]["Profile"];
export type Rule = components["schemas"]["Rule"];

const key = ["netdisk-admin"];
const affected = ["netdisk-admin", "netdisk-account", "netdisk"];
const plain = { parseAs: "text" } as const;

export const diskSettingsQuery = (host: string) =>
  queryOptions({
    queryKey: [...key, "settings", host],
    queryFn: ({ signal }) => askDisk(diskClient(host).GET("/api/settings", { signal })),
  });

export const useSaveDiskSettings = (host: string) =>
  useAffecting(affected, (body: DiskSettings) =>
    askDisk(diskClient(host).PUT("/api/settings", { body, ...plain })),
  );

export const diskUsersQuery = (host: string) =>
  queryOptions({
    queryKey: [...key, "users", host],
    queryFn: ({ signal }) => askDisk(diskClient(host).GET("/api/users", { signal })),
  });

export const diskUserOfQuery = (host: string, id: number) =>
  queryOptions({
    queryKey: [...key, "users", host, id],
    queryFn: ({ signal }) =>
      askDisk(diskClient(host).GET("/api/users/{id}", { params: { path: { id } }, signal })),
  });

export const useSaveDiskUser = (host: string) =>
  useAffecting(affected, ({ id, username: _, ...profile }: DiskUser) =>
    askDisk(
      diskClient(host).PUT("/api/users/{id}", {
        params: { path: { id } },
        body: { what: "user", which: Object.keys(profile), data: profile },
        ...plain,
      }),
    ),
  );
