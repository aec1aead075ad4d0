// The rows as a table with heads that sort; in a narrow window it scrolls inside its card.
import { Button, Table } from "antd";
import {
  createContext,
  type MouseEvent,
  type ReactNode,
  type ThHTMLAttributes,
  use,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Icon } from "@/shared/theme/Icon";
import { ariaSort, ColumnHead } from "./ColumnHead";
import styles from "./DataTable.module.css";
import type { DataColumn, Expansion, ListPosition, RowKey, Selection } from "./data-table";

interface WideTableProps<Row> {
  label: string;
  columns: readonly DataColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => RowKey;
  list: ListPosition;
  selection?: Selection<Row> | undefined;
  muted?: ((row: Row) => boolean) | undefined;
  rowHeight?: number | undefined;
  expansion?: Expansion<Row> | undefined;
}

/** The head of each sortable column by its key. */
const Heads = createContext<ReadonlyMap<string, ReactNode>>(new Map());

interface HeadCellProps extends ThHTMLAttributes<HTMLTableCellElement> {
  "data-column"?: string;
}

/**
 * The table repeats each title in an invisible row to measure it, where a button would be a stop for the keyboard. So
 * titles are words, and the button is put in here.
 */
function HeadCell({ children, ...cell }: HeadCellProps) {
  const head = use(Heads).get(cell["data-column"] ?? "");
  return <th {...cell}>{head ?? children}</th>;
}

/**
 * The checkbox that selects all is such a button too, but is passed as a title: this leaves the measuring row empty.
 */
function HeadOnly({ children }: { children: ReactNode }) {
  const place = useRef<HTMLSpanElement>(null);
  const [measuring, setMeasuring] = useState(false);
  useLayoutEffect(() => setMeasuring(Boolean(place.current?.closest('[aria-hidden="true"]'))), []);
  return <span ref={place}>{measuring ? null : children}</span>;
}

const components = { header: { cell: HeadCell } };

export function WideTable<Row extends object>({
  label,
  columns,
  rows,
  rowKey,
  list,
  selection,
  muted,
  rowHeight = 44,
  expansion,
}: WideTableProps<Row>) {
  const heads = new Map(
    columns.map((column) => [column.key, <ColumnHead key="head" column={column} list={list} />]),
  );
  return (
    <Heads value={heads}>
      <Table<Row>
        className={styles.wide ?? ""}
        components={components}
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
          const style = cellStyle(index, columns.length, Boolean(selection ?? expansion));
          return {
            key: column.key,
            title: column.title,
            align: column.align,
            width: column.width,
            ...(column.wide && { responsive: ["xl"] }),
            // Stays in sight while the rest of a wide table scrolls inside its card.
            ...(column.key === "actions" && { fixed: "end" }),
            render: (_value: unknown, row: Row) => column.render(row),
            onHeaderCell: () => {
              const cell: HeadCellProps = {
                style,
                "aria-sort": ariaSort(column, list),
                "data-column": column.key,
              };
              return cell;
            },
            onCell: () => ({ style }),
          };
        })}
        {...(expansion && { expandable: expandableOf(expansion) })}
        rowSelection={
          selection && {
            selectedRowKeys: [...selection.keys],
            columnWidth: 40,
            columnTitle: (box) => <HeadOnly>{box}</HeadOnly>,
            onChange: (keys) =>
              selection.onChange(keys.filter((key) => typeof key === "string" || typeof key === "number")),
            getCheckboxProps: (row) => ({ "aria-label": `选择 ${selection.nameOf(row)}` }),
            getTitleCheckboxProps: () => ({ "aria-label": "选择本页全部" }),
          }
        }
      />
    </Heads>
  );
}

/** A button at the beginning of each row, which says whose details it shows. */
function expandableOf<Row extends object>({ nameOf, render }: Expansion<Row>) {
  return {
    columnWidth: 40,
    expandedRowRender: render,
    expandIcon: ({ expanded, onExpand, record }: ExpandIconProps<Row>) => (
      <Button
        type="text"
        size="small"
        aria-expanded={expanded}
        aria-label={`${expanded ? "收起" : "展开"} ${nameOf(record)}`}
        icon={<Icon name={expanded ? "down" : "right"} size={12} />}
        onClick={(event) => onExpand(record, event)}
      />
    ),
  };
}

interface ExpandIconProps<Row> {
  expanded: boolean;
  record: Row;
  onExpand: (record: Row, event: MouseEvent<HTMLElement>) => void;
}

/** Rows of two lines are 47 px high; the first and the last cell keep the card's margin. */
function cellStyle(index: number, count: number, boxed: boolean) {
  return {
    paddingBlock: 4,
    ...(index === 0 && !boxed && { paddingInlineStart: 16 }),
    ...(index === count - 1 && { paddingInlineEnd: 16 }),
  };
}
