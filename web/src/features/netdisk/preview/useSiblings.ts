// The siblings of a file in the order of its folder's listing, whose pages are fetched until the file and the one after
// it are among them.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { resourceQuery, type Sorting } from "../api";
import { nameOf, parentOf } from "../disk-paths";
import { siblingsOf } from "./siblings";

export function useSiblings(host: string, path: string, sorting: Sorting | null) {
  const query = useInfiniteQuery({
    ...resourceQuery(host, parentOf(path), sorting),
    // The listing that the user came from is fresh enough to step through.
    staleTime: 60_000,
  });
  const { data, hasNextPage, isFetching, fetchNextPage, isError } = query;
  const name = nameOf(path);
  const siblings = useMemo(
    () => siblingsOf(data?.pages.flatMap((page) => page.items ?? []) ?? [], name),
    [data, name],
  );
  const wanted = data !== undefined && hasNextPage && siblings.next === undefined;
  useEffect(() => {
    if (wanted && !isFetching && !isError) void fetchNextPage();
  }, [wanted, isFetching, isError, fetchNextPage]);
  return siblings;
}
