// A number that links to its page with its filter; what is noted below it may lead on.
import { Link } from "react-router";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import styles from "@/shared/ui/Figures.module.css";
import { Meter } from "@/shared/ui/Meter";

export interface FigureNote {
  text: string;
  /** Where it leads, with the filter for just this. */
  to?: string;
  alarm?: boolean;
}

interface FigureProps {
  to: string;
  icon: IconName;
  label: string;
  /** Undefined while it is unknown. */
  value: string | undefined;
  unit: string;
  notes?: readonly FigureNote[];
  bar?: { used: number; limit: number } | undefined;
}

export function Figure({ to, icon, label, value, unit, notes = [], bar }: FigureProps) {
  return (
    <div className={styles.cell}>
      <Link to={to} className={styles.whole}>
        <span className={styles.key}>
          <Icon name={icon} />
          {label}
        </span>
        <span className={styles.value}>
          {value ?? "—"}
          <small>{unit}</small>
        </span>
      </Link>
      {bar && (
        <div className={styles.bar}>
          <Meter mine label={`${label}用量`} used={bar.used} limit={bar.limit} />
        </div>
      )}
      <div className={styles.notes}>
        {notes.map(({ text, to: target, alarm }) =>
          target ? (
            <Link key={text} to={target} className={alarm ? styles.alarm : undefined}>
              {text}
            </Link>
          ) : (
            <span key={text} className={alarm ? styles.alarm : undefined}>
              {text}
            </span>
          ),
        )}
      </div>
    </div>
  );
}
