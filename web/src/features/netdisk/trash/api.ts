// The recycle bin: deleted entries, to be restored or deleted permanently.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { components } from "@/shared/api/disk";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import { asApiError } from "@/shared/api/problem";
import { useAffecting } from "@/shared/list/use-affecting";
import { netdiskKey } from "../api";

export type TrashItem = components["schemas"]["TrashItem"];

/** Bytes that purging it frees. Older storage hosts only send one size, which is that. */
export const roomOf = ({ used, size }: { used?: number; size: number }) => used ?? size;

export const trashQuery = (host: string, page: number, size: number) =>
  queryOptions({
    queryKey: [...netdiskKey, "trash", host, page, size],
    queryFn: ({ signal }) => {
      const query = { offset: (page - 1) * size, limit: size };
      return askDisk(diskClient(host).GET("/api/trash", { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });

/**
 * Number of days that deleted entries stay in the bin; 0 when they are deleted at once, `null` when the storage host,
 * an older one, does not send it.
 */
export const keepDaysQuery = (host: string) =>
  queryOptions({
    queryKey: ["netdisk-keep-days", host],
    queryFn: async ({ signal }) => {
      const call = diskClient(host).GET("/api/trash", { params: { query: { limit: 0 } }, signal });
      const list: object = await askDisk(call);
      return "keepDays" in list && typeof list.keepDays === "number" ? list.keepDays : null;
    },
    staleTime: 60_000,
  });

/** With `rename` beside an entry that has taken its name meanwhile; returns the new path. */
export const restore = (host: string, id: string, rename = false) =>
  askDisk(
    diskClient(host).POST("/api/trash/{id}/restore", {
      params: { path: { id }, query: { rename } },
      headers: { accept: "application/json" },
    }),
  );

const plain = { parseAs: "text" } as const;

/** An entry that another user purged or restored meanwhile counts as purged. */
async function purgeOne(host: string, id: string) {
  try {
    await askDisk(diskClient(host).DELETE("/api/trash/{id}", { params: { path: { id } }, ...plain }));
  } catch (cause) {
    if (asApiError(cause).status !== 404) throw cause;
  }
}

export const usePurge = (host: string) =>
  useAffecting(netdiskKey, (ids: readonly string[]) => Promise.all(ids.map((id) => purgeOne(host, id))));

/** Returns the number of remaining entries: other people's, which administrators see too. */
export const useEmptyTrash = (host: string) =>
  useAffecting(netdiskKey, async () => {
    await askDisk(diskClient(host).DELETE("/api/trash", plain));
    const query = { limit: 1 };
    return (await askDisk(diskClient(host).GET("/api/trash", { params: { query } }))).total;
  });
