// The rows as a table with heads that sort; in a narrow window it scrolls inside its card.
import { Table } from "antd";
import { ariaSort, ColumnHead } from "./ColumnHead";
import styles from "./DataTable.module.css";
import type { DataColumn, ListPosition, RowKey, Selection } from "./data-table";

interface WideTableProps<Row> {
  label: string;
  columns: readonly DataColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => RowKey;
  list: ListPosition;
  selection?: Selection<Row> | undefined;
  muted?: ((row: Row) => boolean) | undefined;
  rowHeight?: number | undefined;
}

export function WideTable<Row extends object>({
  label,
  columns,
  rows,
  rowKey,
  list,
  selection,
  muted,
  rowHeight = 44,
}: WideTableProps<Row>) {
  return (
    <div className={styles.wide}>
      <Table<Row>
        aria-label={label}
        size="small"
        rowKey={rowKey}
        dataSource={[...rows]}
        pagination={false}
        scroll={{ x: "max-content" }}
        onRow={(row) => ({
          style: { height: rowHeight },
          className: muted?.(row) ? styles.muted : undefined,
        })}
        columns={columns.map((column, index) => {
          const style = cellStyle(index, columns.length, selection !== undefined);
          return {
            key: column.key,
            title: <ColumnHead column={column} list={list} />,
            align: column.align,
            width: column.width,
            ...(column.wide && { responsive: ["xl"] }),
            // Stays in sight while the rest of a wide table scrolls inside its card.
            ...(column.key === "actions" && { fixed: "end" }),
            render: (_value: unknown, row: Row) => column.render(row),
            onHeaderCell: () => ({ style, "aria-sort": ariaSort(column, list) }),
            onCell: () => ({ style }),
          };
        })}
        rowSelection={
          selection && {
            selectedRowKeys: [...selection.keys],
            columnWidth: 40,
            onChange: (keys) =>
              selection.onChange(keys.filter((key) => typeof key === "string" || typeof key === "number")),
            getCheckboxProps: (row) => ({ "aria-label": `选择 ${selection.nameOf(row)}` }),
            getTitleCheckboxProps: () => ({ "aria-label": "选择本页全部" }),
          }
        }
      />
    </div>
  );
}

/** Rows of two lines are 47 px high; the first and the last cell keep the card's margin. */
function cellStyle(index: number, count: number, boxed: boolean) {
  return {
    paddingBlock: 4,
    ...(index === 0 && !boxed && { paddingInlineStart: 16 }),
    ...(index === count - 1 && { paddingInlineEnd: 16 }),
  };
}
