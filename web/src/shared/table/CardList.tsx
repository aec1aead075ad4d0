// The rows of a table as cards, for a phone: each card is the feature's own, its checkbox is ours.
import { Checkbox } from "antd";
import type { ReactNode } from "react";
import styles from "./CardList.module.css";
import type { RowKey, Selection } from "./data-table";

interface CardListProps<Row> {
  label: string;
  rows: readonly Row[];
  rowKey: (row: Row) => RowKey;
  card: (row: Row) => ReactNode;
  selection?: Selection<Row>;
}

export function CardList<Row>({ label, rows, rowKey, card, selection }: CardListProps<Row>) {
  return (
    <ul className={styles.list} aria-label={label}>
      {rows.map((row) => {
        const key = rowKey(row);
        const selected = selection?.keys.includes(key) ?? false;
        return (
          <li key={key} className={selected ? `${styles.card} ${styles.selected}` : styles.card}>
            {selection && (
              <Checkbox
                aria-label={`选择 ${selection.nameOf(row)}`}
                checked={selected}
                onChange={() =>
                  selection.onChange(
                    selected ? selection.keys.filter((other) => other !== key) : [...selection.keys, key],
                  )
                }
              />
            )}
            <div className={styles.content}>{card(row)}</div>
          </li>
        );
      })}
    </ul>
  );
}
