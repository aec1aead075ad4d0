// The filters that both logs have: person, address, result, time.
import type { ReactNode } from "react";
import type { ListState } from "@/shared/list/use-list-params";
import { FilterSelect } from "@/shared/table/FilterSelect";
import { SearchInput } from "@/shared/table/SearchInput";
import { TimeRange } from "@/shared/ui/TimeRange";
import { usePhone } from "@/shared/ui/usePhone";
import type { LoginFilter } from "./api";

interface LogFiltersProps {
  list: Pick<ListState<LoginFilter>, "filters" | "setFilters">;
  results: readonly { value: string; label: string }[];
  children?: ReactNode;
}

export function LogFilters({ list: { filters, setFilters }, results, children }: LogFiltersProps) {
  const width = usePhone() ? "100%" : 112;
  return (
    <>
      <SearchInput
        placeholder="用户名"
        width={width}
        value={filters.username ?? ""}
        onSearch={(username) => setFilters({ username })}
      />
      <SearchInput
        placeholder="IP 地址"
        width={width}
        value={filters.ip ?? ""}
        onSearch={(ip) => setFilters({ ip })}
      />
      {children}
      <FilterSelect
        label="结果"
        value={filters.result}
        options={results}
        onChange={(result) => setFilters({ result })}
      />
      <TimeRange from={filters.from} to={filters.to} onChange={(from, to) => setFilters({ from, to })} />
    </>
  );
}
