// The signed-in user's disk user: permissions and display settings.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { components } from "@/shared/api/disk";
import { askDisk, diskClient } from "@/shared/api/disk-client";

export type DiskUser = components["schemas"]["DiskUser"];

/** Separate from the files: not every change of those concerns the user. */
const accountKey = ["netdisk-account"];

export const diskUserQuery = (host: string, id: number) =>
  queryOptions({
    queryKey: [...accountKey, host, id],
    queryFn: ({ signal }) =>
      askDisk(diskClient(host).GET("/api/users/{id}", { params: { path: { id } }, signal })),
    staleTime: 60_000,
  });

/** The disk's features, for any user. */
export const diskFeaturesQuery = (host: string) =>
  queryOptions({
    queryKey: [...accountKey, host, "features"],
    queryFn: ({ signal }) => askDisk(diskClient(host).GET("/api/public/settings", { signal })),
    staleTime: 60_000,
  });

/** Settings that users may change themselves. */
export type Habits = Pick<DiskUser, "viewMode" | "singleClick" | "sorting" | "hideDotfiles" | "theme">;

/** Shows the change at once and takes it back when the server refuses it. */
export function useChangeHabits(host: string, id: number) {
  const client = useQueryClient();
  const { queryKey } = diskUserQuery(host, id);
  return useMutation({
    mutationFn: (habits: Partial<Habits>) =>
      askDisk(
        diskClient(host).PUT("/api/users/{id}", {
          params: { path: { id } },
          body: { what: "user", which: Object.keys(habits), data: habits },
          parseAs: "text",
        }),
      ),
    onMutate: (habits) => {
      const before = client.getQueryData(queryKey);
      if (before) client.setQueryData(queryKey, { ...before, ...habits });
      return before;
    },
    onError: (_error, _habits, before) => {
      if (before) client.setQueryData(queryKey, before);
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}
