// The entries of a folder as they have come so far, and how many of them are shown: 50, and 50 more at each bottom.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type Item, type Resource, resourceQuery, type Sorting } from "../api";

const step = 50;

/** Entries that moved from one page into the next while the pages came are there twice. */
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

export type Entries = ReturnType<typeof useEntries>;

export function useEntries(host: string, path: string, sorting: Sorting | null) {
  const query = useInfiniteQuery(resourceQuery(host, path, sorting));
  const [wanted, setWanted] = useState(step);
  const pages = query.data?.pages;
  const items = useMemo(() => joined(pages ?? []), [pages]);
  const resource = pages?.at(-1);

  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query;

  function more() {
    const next = wanted + step;
    setWanted(next);
    if (next + step > items.length && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }

  /** Everything, for selecting all; answers what there is when it has come. */
  async function loadAll(): Promise<Item[]> {
    let result = query.hasNextPage ? await fetchNextPage() : null;
    while (result?.hasNextPage && !result.isError) result = await fetchNextPage();
    return result?.data ? joined(result.data.pages) : items;
  }

  return {
    query,
    items,
    resource,
    folders: resource?.numDirs ?? 0,
    files: resource?.numFiles ?? 0,
    shown: Math.min(wanted, items.length),
    more,
    loadAll,
  };
}
