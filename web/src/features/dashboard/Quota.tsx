// One quota: used of limit, a bar, and what is left.
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { Meter } from "@/shared/ui/Meter";
import styles from "./figures.module.css";

interface QuotaProps {
  icon: IconName;
  label: string;
  used: number;
  /** 0: no bar. */
  limit: number;
  value: string;
  of: string;
  note: string;
}

export function Quota({ icon, label, used, limit, value, of, note }: QuotaProps) {
  return (
    <div className={styles.cell}>
      <div className={styles.key}>
        <Icon name={icon} />
        {label}
      </div>
      <div className={styles.value}>
        {value}
        <small>/ {of}</small>
      </div>
      <div className={styles.bar}>
        <Meter mine label={`${label}用量`} used={used} limit={limit} />
      </div>
      <div className={styles.note}>{note}</div>
    </div>
  );
}
