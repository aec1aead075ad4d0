// Reduced pictures from the storage host: a square for covers, a small whole one for tiles, a larger one for viewing.
import { queryOptions } from "@tanstack/react-query";
import { askDisk, diskClient } from "./disk-client";

const keptMs = 5 * 60_000;

/** Another time of change is another picture; so it never gets old. */
export const pictureQuery = (
  host: string,
  size: "thumb" | "small" | "big",
  { path, modified }: { path: string; modified: string },
) =>
  queryOptions({
    queryKey: ["netdisk-picture", host, size, path, modified],
    queryFn: ({ signal }) =>
      askDisk(
        diskClient(host).GET("/api/preview/{size}/{path}", {
          params: { path: { size, path }, query: { k: modified } },
          parseAs: "blob",
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: keptMs,
    retry: false,
  });
