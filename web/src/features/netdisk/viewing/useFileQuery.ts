// Reads a file for a view. Another time of change is another content; leaving ends the reading.
import { useQuery } from "@tanstack/react-query";
import type { Resource } from "../api";
import { useDisk } from "../disk-context";
import { withBlocks } from "./blocks";
import { type ByteSource, ViewFault } from "./bytes";
import { diskSource } from "./disk-source";

export function useFileQuery<Data>(
  file: Resource,
  what: string,
  read: (source: ByteSource, signal: AbortSignal) => Promise<Data>,
  /** Whether small parts beside each other are read together; of a file that is read here and there, they are not. */
  blocks = true,
) {
  const { host } = useDisk();
  return useQuery({
    queryKey: ["netdisk-view", what, host, file.path, file.modified, file.size],
    queryFn: async ({ signal }) => {
      try {
        const source = diskSource(host, file, signal);
        return await read(blocks ? withBlocks(source) : source, signal);
      } catch (cause) {
        throw asViewError(cause, signal);
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    // A broken file is as broken at another try; the network's errors have a button.
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** Whatever a reader stumbles over in a hostile file is a fault of the file, and never a dead page. */
export function asViewError(cause: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted || (cause instanceof Error && cause.name === "ApiError")) return cause;
  return cause instanceof ViewFault ? cause : new ViewFault("文件已损坏，或不是这种格式");
}
