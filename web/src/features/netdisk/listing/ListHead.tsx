// biome-ignore-all lint/a11y/useSemanticElements: a real table cannot hold only the rows in sight
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names the active row
// The head of the listing: all at once, and the columns that it can be sorted by.
import { Checkbox } from "antd";
import { Icon } from "@/shared/theme/Icon";
import type { Sorting, SortKey } from "../api";
import styles from "./FileList.module.css";

interface ListHeadProps {
  sorting: Sorting;
  onSort: (sorting: Sorting) => void;
  selected: "none" | "some" | "all";
  onSelectAll: () => void;
  onClear: () => void;
}

export function ListHead({ sorting, onSort, selected, onSelectAll, onClear }: ListHeadProps) {
  const sortable = { sorting, onSort };
  return (
    <div role="row" aria-rowindex={1} className={styles.head}>
      <div role="columnheader" className={styles.check}>
        <Checkbox
          checked={selected === "all"}
          indeterminate={selected === "some"}
          aria-label="全选"
          onChange={selected === "all" ? onClear : onSelectAll}
        />
      </div>
      <SortHead by="name" title="名称" {...sortable} />
      <div role="columnheader" className={styles.kind}>
        类型
      </div>
      <SortHead by="size" title="大小" {...sortable} />
      <SortHead by="modified" title="修改时间" {...sortable} />
      <div role="columnheader" className={styles.more} aria-label="操作" />
    </div>
  );
}

interface SortHeadProps {
  by: SortKey;
  title: string;
  sorting: Sorting;
  onSort: (sorting: Sorting) => void;
}

const columns: Record<SortKey, string | undefined> = {
  name: styles.name,
  size: styles.size,
  modified: styles.time,
};

function SortHead({ by, title, sorting, onSort }: SortHeadProps) {
  const current = sorting.by === by;
  const ascending = current && sorting.asc;
  return (
    <div
      role="columnheader"
      className={columns[by]}
      aria-sort={current ? (ascending ? "ascending" : "descending") : undefined}
    >
      <button
        type="button"
        className={current ? `${styles.sort} ${styles.current}` : styles.sort}
        onClick={() => onSort({ by, asc: !ascending })}
      >
        {title}
        <Icon name={current && !ascending ? "down" : "up"} size={10} />
      </button>
    </div>
  );
}
