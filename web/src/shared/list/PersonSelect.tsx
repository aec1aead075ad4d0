// Selects one person out of all, or out of those that the user leads.
import { useQuery } from "@tanstack/react-query";
import { Select } from "antd";
import { useDeferredValue, useState } from "react";
import { profileQuery } from "@/shared/api/profile";
import { peopleQuery, personName } from "./people";

interface PersonSelectProps {
  /** Given by the form. */
  id?: string;
  /** The accessible name, where no form item provides one. */
  label?: string;
  placeholder?: string;
  value?: number | undefined;
  onChange?: (id: number | undefined) => void;
  width?: number | string;
  /** Only the user and the members of groups that the user leads. */
  led?: boolean;
}

export function PersonSelect({
  id,
  label,
  placeholder = label ?? "搜索姓名或用户名",
  value,
  onChange,
  width = "100%",
  led = false,
}: PersonSelectProps) {
  const [search, setSearch] = useState("");
  const people = useQuery(peopleQuery(useDeferredValue(search.trim()), led));
  const found = people.data?.items ?? [];
  const unknown = value !== undefined && !found.some((user) => user.id === value);
  // A person from the URL or an earlier entry, not from the search.
  const chosen = useQuery({ ...profileQuery(value ?? 0), enabled: unknown });
  const all = unknown && chosen.data ? [chosen.data, ...found] : found;
  return (
    <Select<number | null>
      id={id}
      aria-label={label}
      placeholder={placeholder}
      value={value ?? null}
      allowClear
      loading={people.isFetching}
      notFoundContent={people.error ? people.error.message : people.isPending ? "正在查找…" : "没有找到"}
      showSearch={{ filterOption: false, searchValue: search, onSearch: setSearch }}
      options={all.map((user) => ({ value: user.id, label: personName(user) }))}
      style={{ width }}
      onChange={(next: number | null | undefined) => {
        setSearch("");
        onChange?.(next ?? undefined);
      }}
    />
  );
}
