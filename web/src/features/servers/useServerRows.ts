// All servers as the tables show them: filtered, sorted and cut into pages here, so that filters, counts and pages agree.
import { useQuery } from "@tanstack/react-query";
import { allServersQuery, type ServerView } from "@/shared/compute/api";
import { type Counts, countsOf } from "@/shared/compute/counts";
import type { ListState } from "@/shared/list/use-list-params";
import type { DataSource } from "@/shared/table/data-table";
import type { FilterBarProps } from "@/shared/table/FilterBar";
import { type Filter, found, sorted, standings } from "./server-list";

interface ServerRows {
  /** All, whatever is asked for. */
  all: readonly ServerView[];
  /** Nothing before the first answer. */
  counts: Counts | undefined;
  source: DataSource<ServerView>;
  /** The search, and the states with how many are in each. */
  filters: FilterBarProps;
  /** When they were fetched, in milliseconds since the epoch; 0 before. */
  updated: number;
}

export function useServerRows(list: ListState<Filter>): ServerRows {
  const { data, error, isPending, refetch, dataUpdatedAt } = useQuery(allServersQuery);
  const all = data?.items ?? [];
  const counts = countsOf(all);
  const rows = sorted(found(all, list), list);
  const from = (list.page - 1) * list.size;
  return {
    all,
    updated: dataUpdatedAt,
    counts: data && counts,
    source: {
      data: data && { items: rows.slice(from, from + list.size), total: rows.length },
      error,
      // It refreshes itself all the time: only what the reader waits for is worth a sign.
      fetching: isPending,
      onRetry: () => void refetch(),
    },
    filters: {
      search: { placeholder: "名称、地址、型号", value: list.q, onSearch: list.setSearch },
      states: {
        label: "状态",
        value: list.filters.state ?? "all",
        options: [
          { value: "all", label: "全部", count: all.length },
          ...standings.map(({ value, label }) => ({ value, label, count: counts.by[value] })),
        ],
        onChange: (state) => list.setFilters({ state: state === "all" ? undefined : state }),
      },
      active: list.active,
      onReset: list.reset,
    },
  };
}
