// A quota in a table: `used / limit` over a bar where the use is known, otherwise the bare limit.
import { Meter } from "./Meter";
import styles from "./QuotaCell.module.css";

interface QuotaCellProps {
  label: string;
  /** The limit in words, e.g. `4+1` or 不限. */
  text: string;
  /** As a number for the bar; left out when unlimited, then there is no bar. */
  limit?: number;
  /** The present use; omitted when the list does not have it. */
  used?: number;
}

export function QuotaCell({ label, text, limit, used }: QuotaCellProps) {
  if (used === undefined) return <span className={styles.figure}>{text}</span>;
  return (
    <span className={styles.cell}>
      <span className={styles.figure}>
        {used.toLocaleString("zh-CN")}
        <span className={styles.limit}> / {text}</span>
      </span>
      {limit !== undefined && <Meter thin label={label} used={used} limit={limit} />}
    </span>
  );
}
