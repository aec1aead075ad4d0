// The whole content of a file, for views that show it from memory. Signed by header, unlike a bare URL.
import { queryOptions } from "@tanstack/react-query";
import { askDisk, diskClient } from "@/shared/api/disk-client";

/** Time for which the content stays cached. */
const keptMs = 60_000;

/** Another time of change is another content; so it never gets old. */
export const rawQuery = (host: string, { path, modified }: { path: string; modified: string }) =>
  queryOptions({
    queryKey: ["netdisk-content", host, path, modified],
    queryFn: async ({ signal }) => {
      const content: Blob | undefined = await askDisk(
        diskClient(host).GET("/api/raw/{path}", {
          params: { path: { path }, query: { inline: true } },
          parseAs: "blob",
          signal,
        }),
      );
      // The client makes nothing of an empty file, and nothing is no answer to a query.
      return content ?? new Blob();
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: keptMs,
  });
