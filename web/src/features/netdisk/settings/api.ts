// Settings by the disk's administrators: global ones, and those of each user.
import { queryOptions } from "@tanstack/react-query";
import type { components } from "@/shared/api/disk";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import { asApiError } from "@/shared/api/problem";
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

/** Creates a disk user for a platform account, with the defaults. */
const addDiskUser = (host: string, username: string) =>
  askDisk(
    diskClient(host).POST("/api/users", {
      body: { what: "user", which: ["all"], data: { username } },
      ...plain,
    }),
  );

export const useAddDiskUser = (host: string) =>
  useAffecting(affected, (username: string) => addDiskUser(host, username));

async function resetDiskUser(host: string, { id, username }: DiskUser): Promise<DiskUser> {
  const params = { path: { id } };
  await askDisk(diskClient(host).DELETE("/api/users/{id}", { params, ...plain }));
  try {
    await addDiskUser(host, username);
  } catch (cause) {
    // The person visited the disk meanwhile, which created one as well.
    if (asApiError(cause).status !== 409) throw cause;
  }
  return askDisk(diskClient(host).GET("/api/users/{id}", { params }));
}

/** As newcomers are; answers with how that is. */
export const useResetDiskUser = (host: string) =>
  useAffecting(affected, (user: DiskUser) => resetDiskUser(host, user));
