// The datasets that a new instance mounts at /datasets: those that the user may see, and their versions by name.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { portal, unwrap } from "@/shared/api/client";
import { MultiSelect } from "@/shared/form/MultiSelect";
import { Choice } from "./Block";

/** As many as the server takes. */
const most = 20;

const foundQuery = (q: string) =>
  queryOptions({
    queryKey: ["datasets", "options", q],
    queryFn: ({ signal }) => {
      const query = { page: 1, size: 50, sort: "name", order: "asc", ready: true, ...(q && { q }) } as const;
      return unwrap(portal.GET("/api/datasets", { params: { query }, signal }));
    },
  });

interface DatasetChoiceProps {
  chosen: readonly string[];
  fault: string | undefined;
  onChange: (folders: string[]) => void;
}

export function DatasetChoice({ chosen, fault, onChange }: DatasetChoiceProps) {
  const [q, setQ] = useState("");
  // `cifar@v2` is a version of cifar: the search uses the dataset's name.
  const [name = ""] = q.split("@");
  const { data, error, isFetching } = useQuery(foundQuery(name));
  const options = (data?.items ?? []).flatMap((dataset) => {
    const label = dataset.title ? `${dataset.name}（${dataset.title}）` : dataset.name;
    const version = q.startsWith(`${dataset.name}@`) ? [{ value: q, label: q }] : [];
    return [{ value: dataset.name, label }, ...version];
  });
  return (
    <Choice
      label="数据集"
      note={error ? "数据集没有取到，可稍后再试" : "只读出现在 /datasets/名称；输入“名称@v2”选择版本"}
      fault={fault}
    >
      <MultiSelect<string>
        aria-label="数据集"
        placeholder="不使用"
        style={{ width: "100%" }}
        value={[...chosen]}
        options={options}
        maxCount={most}
        loading={isFetching}
        showSearch={{ filterOption: false, searchValue: q, onSearch: setQ }}
        notFoundContent={isFetching ? "正在查找…" : "没有找到数据集"}
        onChange={(folders) => {
          setQ("");
          onChange(folders);
        }}
      />
    </Choice>
  );
}
