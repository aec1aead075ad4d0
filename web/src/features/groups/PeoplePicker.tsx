// Choosing people by name out of all of them; the server searches.
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { MultiSelect } from "@/shared/form/MultiSelect";
import { type PublicUser, peopleQuery, personName } from "@/shared/list/people";

interface PeoplePickerProps {
  /** Given by the form. */
  id?: string;
  value?: number[];
  onChange?: (ids: number[]) => void;
  /** People who may be chosen already, so that their names show at once. */
  known?: readonly PublicUser[];
  placeholder?: string;
  autoFocus?: boolean;
}

export function PeoplePicker({
  id,
  value = [],
  onChange,
  known = [],
  placeholder,
  autoFocus,
}: PeoplePickerProps) {
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim());
  const people = useQuery(peopleQuery(wanted));
  // Chosen people keep their names when a later search no longer finds them.
  const [met, setMet] = useState<ReadonlyMap<number, PublicUser>>(
    () => new Map(known.map((user) => [user.id, user])),
  );
  const found = people.data?.items ?? [];
  const options = [...found, ...value.flatMap((chosen) => met.get(chosen) ?? [])];
  const unique = [...new Map(options.map((user) => [user.id, user])).values()];
  return (
    <MultiSelect
      id={id}
      placeholder={placeholder ?? "搜索姓名或用户名"}
      autoFocus={autoFocus ?? false}
      value={value}
      loading={people.isFetching}
      notFoundContent={people.error ? people.error.message : people.isPending ? "正在查找…" : "没有找到"}
      showSearch={{ filterOption: false, searchValue: search, onSearch: setSearch }}
      options={unique.map((user) => ({ value: user.id, label: personName(user) }))}
      onChange={(ids: number[]) => {
        setMet(new Map([...met, ...found.map((user) => [user.id, user] as const)]));
        setSearch("");
        onChange?.(ids);
      }}
    />
  );
}
