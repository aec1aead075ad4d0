// The loaded entries of a folder, and how many of them are shown: 50, and 50 more at each end of scrolling. A returning
// user is shown as many as needed to reach their position.
import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { type Item, type Resource, resourceQuery, type Sorting } from "../api";
import type { Place } from "./last-place";

const step = 50;

/** Pages of a folder that stay cached when it is left: two thousand entries; more would all be refetched. */
const kept = 2;

/** Entries that moved from one page to the next during loading occur twice. */
function joined(pages: readonly Resource[]): Item[] {
  const seen = new Set<string>();
  return pages
    .flatMap((page) => page.items ?? [])
    .filter(({ name, invalidName }) => {
      // Different names that are no UTF-8 may look alike.
      if (invalidName) return true;
      const fresh = !seen.has(name);
      seen.add(name);
      return fresh;
    });
}

const firstPages = (known: InfiniteData<Resource> | undefined) =>
  known && known.pages.length > kept
    ? { pages: known.pages.slice(0, kept), pageParams: known.pageParams.slice(0, kept) }
    : known;

/** The number of entries to show, in whole steps, to include an entry and what was in sight below `first`. */
const leastFor = (at: number, first: number) =>
  Math.ceil(Math.max(at + 1, first > 0 ? first + step : 0) / step) * step;

export type Entries = ReturnType<typeof useEntries>;

export function useEntries(host: string, path: string, sorting: Sorting | null, place: Place | undefined) {
  const client = useQueryClient();
  const { by, asc } = sorting ?? {};
  const options = useMemo(
    () => resourceQuery(host, path, by === undefined || asc === undefined ? null : { by, asc }),
    [host, path, by, asc],
  );
  const query = useInfiniteQuery(options);
  const [asked, setAsked] = useState(step);
  const pages = query.data?.pages;
  const items = useMemo(() => joined(pages ?? []), [pages]);
  const resource = pages?.at(-1);
  const name = place?.name;
  const at = useMemo(() => (name ? items.findIndex((item) => item.name === name) : -1), [items, name]);
  const wanted = Math.max(asked, leastFor(at, place?.first ?? 0));
  /** Whether the component is still mounted. */
  const watched = useRef(true);

  const { queryKey } = options;
  useEffect(() => {
    watched.current = true;
    return () => {
      watched.current = false;
      client.setQueryData(queryKey, firstPages);
    };
  }, [client, queryKey]);

  const { fetchNextPage, hasNextPage, isFetching, isFetchingNextPage, isError } = query;

  // The position may be beyond the loaded entries.
  const seeking = name != null && at < 0 && hasNextPage && !isFetching && !isError;
  useEffect(() => {
    if (seeking) void fetchNextPage();
  }, [seeking, fetchNextPage]);

  function more() {
    const next = wanted + step;
    setAsked(next);
    if (next + step > items.length && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }

  /** Loads everything; on a failure returns what is loaded. */
  async function loadAll(): Promise<{ all: readonly Item[]; failed: boolean }> {
    let result = query.hasNextPage ? await fetchNextPage() : null;
    while (watched.current && result?.hasNextPage && !result.isError) result = await fetchNextPage();
    return {
      all: result?.data ? joined(result.data.pages) : items,
      failed: watched.current && result?.isError === true,
    };
  }

  return {
    query,
    items,
    resource,
    folders: resource?.numDirs ?? 0,
    files: resource?.numFiles ?? 0,
    shown: Math.min(wanted, items.length),
    more,
    /** From now on all loaded entries are shown. */
    showAll: () => setAsked(Number.POSITIVE_INFINITY),
    loadAll,
  };
}
