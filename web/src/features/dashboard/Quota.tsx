// One quota: used of limit, a bar, and what is left.
import { Link } from "react-router";
import { isAdmin, useSession } from "@/shared/stores/session";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import styles from "@/shared/ui/Figures.module.css";
import { Meter } from "@/shared/ui/Meter";
import { worksheetLinks } from "@/shared/worksheets/api";

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
  const admin = useSession(isAdmin);
  const full = limit > 0 && used >= limit;
  return (
    <div className={styles.cell}>
      <div className={styles.head}>
        <span className={styles.key}>
          <Icon name={icon} />
          {label}
        </span>
        <span className={styles.figure}>
          {value}
          <small>/ {of}</small>
        </span>
      </div>
      <div className={styles.bar}>
        <Meter mine label={`${label}用量`} used={used} limit={limit} />
      </div>
      <div className={styles.line} title={note}>
        {note}
        {full && !admin && (
          <Link to={worksheetLinks.ask("quota")} className={styles.ask}>
            申请更多
          </Link>
        )}
      </div>
    </div>
  );
}
