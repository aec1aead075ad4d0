// Work that the storage host goes on with by itself: copies, moves, unpacking. Asked for again while there is some.
import { queryOptions } from "@tanstack/react-query";
import type { components } from "@/shared/api/disk";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import { useAffecting } from "@/shared/list/use-affecting";

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

/** Ends what runs, forgets what is over. */
export const useEndTask = (host: string) =>
  useAffecting(key, (id: string) =>
    askDisk(diskClient(host).DELETE("/api/tasks/{id}", { params: { path: { id } }, parseAs: "text" })),
  );
