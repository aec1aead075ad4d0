// A list query as a table wants it.
import type { UseQueryResult } from "@tanstack/react-query";
import type { DataSource, ListPosition } from "@/shared/table/data-table";

type Cut<Row> = { items: readonly Row[]; total: number };

function sourceOf<Row>(query: UseQueryResult<unknown>, data: Cut<Row> | undefined): DataSource<Row> {
  return { data, error: query.error, fetching: query.isFetching, onRetry: () => void query.refetch() };
}

export const listSource = <Row>(query: UseQueryResult<{ items: Row[]; total: number }>): DataSource<Row> =>
  sourceOf(query, query.data);

/** The same of a query that holds the whole list: its rows that fit, cut to the page. */
export function cutSource<Row>(
  query: UseQueryResult<readonly Row[]>,
  list: ListPosition,
  fits: (row: Row) => boolean,
): DataSource<Row> {
  const found = query.data?.filter(fits);
  const first = (list.page - 1) * list.size;
  return sourceOf(query, found && { items: found.slice(first, first + list.size), total: found.length });
}
