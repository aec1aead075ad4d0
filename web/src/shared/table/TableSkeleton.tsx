// Grey bars of the height that the rows will have; they appear only when loading takes longer than 200 ms.
import styles from "./TableSkeleton.module.css";

const widths = ["72%", "54%", "64%", "48%"];

export function TableSkeleton({ rows, rowHeight }: { rows: number; rowHeight: number }) {
  return (
    <div className={styles.skeleton} role="status" aria-label="正在加载">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: identical bars that never move
        <div key={index} className={styles.row} style={{ height: rowHeight }}>
          <i className={styles.square} />
          <i style={{ width: widths[index % widths.length] }} />
          <i />
          <i />
        </div>
      ))}
    </div>
  );
}
