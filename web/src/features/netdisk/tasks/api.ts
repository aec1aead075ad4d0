// Tasks of the storage host: copies, moves, extractions. Refetched while there are some.
import { queryOptions } from "@tanstack/react-query";
import type { components } from "@/shared/api/disk";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import { useAffecting } from "@/shared/list/use-affecting";
import type { ArchiveFormat } from "../api";

export type Task = components["schemas"]["TaskView"];

const key = ["netdisk-tasks"];
const everyMs = 1_000;

export const isOpen = ({ state }: Task) => state === "queued" || state === "running";

export const tasksQuery = (host: string) =>
  queryOptions({
    queryKey: [...key, host],
    queryFn: async ({ signal }) => (await askDisk(diskClient(host).GET("/api/tasks", { signal }))).items,
    refetchInterval: ({ state }) => (state.data?.some(isOpen) ? everyMs : false),
  });

/** Unpacks an archive into a folder that is made for it. */
export const useExtract = (host: string) =>
  useAffecting(key, ({ path, destination }: { path: string; destination: string }) =>
    askDisk(
      diskClient(host).POST("/api/tasks", {
        body: { kind: "extract", path, destination, override: false, rename: true },
      }),
    ),
  );

export interface Packing {
  /** The entries to pack, from one folder. */
  paths: string[];
  /** The archive. */
  destination: string;
  format: ArchiveFormat;
}

/** Packs into an archive on the disk; a taken name is refused at once. */
export const useCompress = (host: string) =>
  useAffecting(key, (packing: Packing) =>
    askDisk(
      diskClient(host).POST("/api/tasks", {
        body: { kind: "compress", ...packing, override: false, rename: false },
      }),
    ),
  );

/** Cancels running ones, forgets finished ones. */
export const useEndTasks = (host: string) =>
  useAffecting(key, (ids: readonly string[]) =>
    Promise.all(
      ids.map((id) =>
        askDisk(diskClient(host).DELETE("/api/tasks/{id}", { params: { path: { id } }, parseAs: "text" })),
      ),
    ),
  );
