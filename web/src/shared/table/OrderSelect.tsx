// The order of a list as a select: a phone has no column heads to press.
import { Select } from "antd";
import type { DataColumn, ListPosition } from "./data-table";

export function OrderSelect<Row>({
  columns,
  list,
}: {
  columns: readonly DataColumn<Row>[];
  list: ListPosition;
}) {
  const options = columns.flatMap(({ sort, title }) =>
    sort
      ? [
          { value: `${sort} asc`, label: `${title}，从小到大` },
          { value: `${sort} desc`, label: `${title}，从大到小` },
        ]
      : [],
  );
  if (options.length === 0) return null;
  return (
    <Select
      aria-label="排序"
      value={`${list.sort} ${list.order}`}
      options={options}
      onChange={(value) => {
        const [sort = list.sort, order] = value.split(" ");
        list.setOrder(sort, order === "desc" ? "desc" : "asc");
      }}
    />
  );
}
