// biome-ignore-all lint/a11y/useSemanticElements: a real table cannot hold only the cells in sight
// biome-ignore-all lint/a11y/useFocusableInteractive: the scroll container has the focus and scrolls by keys
// A table of any number of rows and columns: only the cells in sight are in the page. The head and the row numbers stay.
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useEffectEvent, useRef } from "react";
import styles from "./VirtualTable.module.css";

export interface TableColumn {
  name: string;
  /** Below the name, such as the type. */
  note?: string;
  /** Pixels. */
  width: number;
  right?: boolean;
}

interface VirtualTableProps {
  label: string;
  columns: readonly TableColumn[];
  /** Rows that can be scrolled to. */
  count: number;
  /** The number of the first of them, from 1. */
  firstNumber?: number;
  /** How many there are, if that is known. */
  total?: number;
  /** Nothing for a row that is still being read. */
  rowAt: (index: number) => readonly string[] | undefined;
  onSeen: (first: number, last: number) => void;
  /** A row to scroll to; each new object does once more. */
  goal?: { row: number } | null;
  foot?: ReactNode;
}

const rowHeight = 30;
/** Of a longer text only the beginning is shown; all of it is in the file. */
const longestCell = 300;
const longestTitle = 2000;

export function VirtualTable(props: VirtualTableProps) {
  const { label, columns, count, firstNumber = 1, total, rowAt, onSeen, goal = null, foot } = props;
  const scroller = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const across = useVirtualizer({
    count: columns.length,
    horizontal: true,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => columns[index]?.width ?? 0,
    overscan: 3,
  });
  // Other columns are of other widths.
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again exactly when the columns change
  useEffect(() => across.measure(), [columns, across]);
  const first = rows.range?.startIndex ?? 0;
  const last = rows.range?.endIndex ?? 0;
  const seen = useEffectEvent(onSeen);
  // biome-ignore lint/correctness/useExhaustiveDependencies: more rows are more to be read
  useEffect(() => seen(first, last), [first, last, count]);

  useEffect(() => {
    if (goal) rows.scrollToIndex(goal.row, { align: "start" });
  }, [goal, rows]);

  const numberWidth = 24 + String(firstNumber + count).length * 8;
  const width = numberWidth + across.getTotalSize();
  const shown = across.getVirtualItems();
  return (
    <section
      ref={scroller}
      className={styles.scroller}
      aria-label={label}
      data-scrolls
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable for the keyboard (WCAG 2.1.1)
      tabIndex={0}
    >
      <div
        role="table"
        aria-label={label}
        // The head is a row too.
        aria-rowcount={total === undefined ? -1 : total + 1}
        aria-colcount={columns.length + 1}
        style={{ width }}
      >
        <div role="row" aria-rowindex={1} className={styles.head} style={{ width }}>
          <div
            role="columnheader"
            aria-colindex={1}
            className={styles.number}
            style={{ width: numberWidth }}
            aria-label="行号"
          />
          {shown.map(({ index, start }) => {
            const column = columns[index];
            return (
              <div
                key={index}
                role="columnheader"
                aria-colindex={index + 2}
                className={styles.cell}
                style={{ left: numberWidth + start, width: column?.width }}
                title={column?.name}
              >
                <span>{column?.name}</span>
                {column?.note && <small>{column.note}</small>}
              </div>
            );
          })}
        </div>
        <div role="rowgroup" className={styles.body} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const row = rowAt(index);
            return (
              <div
                key={index}
                role="row"
                aria-rowindex={index + firstNumber + 1}
                className={styles.row}
                style={{ width, transform: `translateY(${start}px)` }}
              >
                <div
                  role="rowheader"
                  aria-colindex={1}
                  className={styles.number}
                  style={{ width: numberWidth }}
                >
                  {index + firstNumber}
                </div>
                {shown.map(({ index: at, start: left }) => {
                  const cell = row?.[at] ?? "";
                  return (
                    <div
                      key={at}
                      role="cell"
                      aria-colindex={at + 2}
                      className={columns[at]?.right ? `${styles.cell} ${styles.right}` : styles.cell}
                      style={{ left: numberWidth + left, width: columns[at]?.width }}
                      title={cell.length > 12 ? cell.slice(0, longestTitle) : undefined}
                    >
                      {row ? cell.slice(0, longestCell) : at === shown[0]?.index && "…"}
                    </div>
                  );
                })}
              </div>
            );
          })}
        </div>
      </div>
      {foot && <div className={styles.foot}>{foot}</div>}
    </section>
  );
}
