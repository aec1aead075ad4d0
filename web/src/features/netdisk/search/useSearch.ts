// Searches below a folder; hits are shown as soon as the server finds them. Leaving ends the search.
import { useEffect, useReducer } from "react";
import type { components } from "@/shared/api/disk";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import { type ApiError, asApiError } from "@/shared/api/problem";
import { readNdjson } from "./ndjson";

export type Hit = components["schemas"]["Hit"];

/** How far down. */
const depth = 2;

interface Found {
  hits: readonly Hit[];
  running: boolean;
  error: ApiError | null;
}

type Event = { kind: "start" } | { kind: "hits"; hits: Hit[] } | { kind: "end"; error: ApiError | null };

const start: Found = { hits: [], running: true, error: null };

function next(found: Found, event: Event): Found {
  if (event.kind === "start") return start;
  if (event.kind === "hits") return { ...found, hits: [...found.hits, ...event.hits] };
  return { ...found, running: false, error: event.error };
}

export function useSearch(host: string, folder: string, words: string, round: number): Found {
  const [found, dispatch] = useReducer(next, start);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round searches again
  useEffect(() => {
    const stop = new AbortController();
    const tell = (event: Event) => {
      if (!stop.signal.aborted) dispatch(event);
    };
    async function search() {
      tell({ kind: "start" });
      try {
        const stream = await askDisk(
          diskClient(host).GET("/api/search/{path}", {
            params: { path: { path: folder }, query: { query: words, depth } },
            headers: { accept: "application/x-ndjson" },
            parseAs: "stream",
            signal: stop.signal,
          }),
        );
        if (stream) await readNdjson<Hit>(stream, (hits) => tell({ kind: "hits", hits }));
        tell({ kind: "end", error: null });
      } catch (cause) {
        tell({ kind: "end", error: asApiError(cause) });
      }
    }
    void search();
    return () => stop.abort();
  }, [host, folder, words, round]);
  return found;
}
