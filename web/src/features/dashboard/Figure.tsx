// A number that links to its page.
import { Link } from "react-router";
import { formatCount } from "@/shared/lib/numbers";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import styles from "@/shared/ui/Figures.module.css";

interface FigureProps {
  to: string;
  icon: IconName;
  label: string;
  /** Undefined while it is unknown. */
  value: number | undefined;
  unit: string;
  note: string;
  alarm?: boolean;
}

export function Figure({ to, icon, label, value, unit, note, alarm = false }: FigureProps) {
  return (
    <Link to={to} className={styles.cell}>
      <div className={styles.key}>
        <Icon name={icon} className={alarm ? styles.alarm : undefined} />
        {label}
      </div>
      <div className={styles.value}>
        {value === undefined ? "—" : formatCount(value)}
        <small>{unit}</small>
      </div>
      <div className={styles.note}>{note}</div>
    </Link>
  );
}
