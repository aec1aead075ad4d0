// The recycle bin: what was deleted, to be brought back or to go for good.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { components } from "@/shared/api/disk";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import { useAffecting } from "@/shared/list/use-affecting";
import { netdiskKey } from "../api";

export type TrashItem = components["schemas"]["TrashItem"];

export const trashQuery = (host: string, page: number, size: number) =>
  queryOptions({
    queryKey: [...netdiskKey, "trash", host, page, size],
    queryFn: ({ signal }) => {
      const query = { offset: (page - 1) * size, limit: size };
      return askDisk(diskClient(host).GET("/api/trash", { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });

/** With `rename` beside what has taken its name meanwhile; answers where it is now. */
export const restore = (host: string, id: string, rename = false) =>
  askDisk(
    diskClient(host).POST("/api/trash/{id}/restore", {
      params: { path: { id }, query: { rename } },
      headers: { accept: "application/json" },
    }),
  );

const plain = { parseAs: "text" } as const;

export const usePurge = (host: string) =>
  useAffecting(netdiskKey, (ids: readonly string[]) =>
    Promise.all(
      ids.map((id) =>
        askDisk(diskClient(host).DELETE("/api/trash/{id}", { params: { path: { id } }, ...plain })),
      ),
    ),
  );

export const useEmptyTrash = (host: string) =>
  useAffecting(netdiskKey, () => askDisk(diskClient(host).DELETE("/api/trash", plain)));
