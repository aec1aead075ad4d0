// The head of a sortable column: a button; only the sorted column has an arrow.
import { Icon } from "@/shared/theme/Icon";
import styles from "./ColumnHead.module.css";
import type { DataColumn, ListPosition } from "./data-table";

interface ColumnHeadProps<Row> {
  column: DataColumn<Row>;
  list: ListPosition;
}

/** The column's order for screen readers. */
export function ariaSort<Row>({ sort }: DataColumn<Row>, list: ListPosition) {
  if (!sort || sort !== list.sort) return undefined;
  return list.order === "asc" ? "ascending" : "descending";
}

export function ColumnHead<Row>({ column: { title, sort, align }, list }: ColumnHeadProps<Row>) {
  if (!sort) return <HeadText>{title}</HeadText>;
  const current = sort === list.sort;
  const descending = current && list.order === "desc";
  const classes = [styles.head, styles.sort, current && styles.current, align === "right" && styles.right];
  return (
    <button
      type="button"
      className={classes.filter(Boolean).join(" ")}
      title={descending ? "改为从小到大" : current ? "改为从大到小" : `按${title}排序`}
      onClick={() => list.setOrder(sort, current && !descending ? "desc" : "asc")}
    >
      {title}
      <Icon name={descending ? "down" : "up"} size={10} />
    </button>
  );
}

/** The head of a column that has no order of its own. */
export function HeadText({ children }: { children: string }) {
  return <span className={styles.head}>{children}</span>;
}
