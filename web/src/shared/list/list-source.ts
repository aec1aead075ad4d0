// A list query as a table wants it.
import type { UseQueryResult } from "@tanstack/react-query";
import type { DataSource } from "@/shared/ui/data-table";

export function listSource<Row>(query: UseQueryResult<{ items: Row[]; total: number }>): DataSource<Row> {
  return {
    data: query.data,
    error: query.error,
    fetching: query.isFetching,
    onRetry: () => void query.refetch(),
  };
}
