// Size and time of one hit. Part of the disk's data, so that a change of it asks again.
import { queryOptions } from "@tanstack/react-query";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import { netdiskKey } from "../api";

export const factsQuery = (host: string, path: string) =>
  queryOptions({
    queryKey: [...netdiskKey, "facts", host, path],
    queryFn: async ({ signal }) => {
      // As a listing has it: neither the content of a text, nor what is in a folder.
      const query = { kind: "listing", limit: 0 } as const;
      const call = diskClient(host).GET("/api/resources/{path}", {
        params: { path: { path }, query },
        signal,
      });
      const { size, modified } = await askDisk(call);
      return { size, modified };
    },
    staleTime: 60_000,
    // It may be gone since it was found.
    retry: false,
  });
