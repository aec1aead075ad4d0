// A thin bar for a share of a limit: grey for machines and tables, accent for my own quotas, amber from 90 %.
import styles from "./Meter.module.css";

interface MeterProps {
  /** The measured quantity, for screen readers. */
  label: string;
  used: number;
  limit: number;
  /** 4 px in table rows, 6 px elsewhere. */
  thin?: boolean;
  /** The user's own quota rather than a machine's or another user's. */
  mine?: boolean;
  /** Much is nothing to warn of, such as a card that is well used. */
  calm?: boolean;
  /** Red instead of amber from 90 % on, where no room is a fault. */
  alarm?: boolean;
}

export function Meter({
  label,
  used,
  limit,
  thin = false,
  mine = false,
  calm = false,
  alarm = false,
}: MeterProps) {
  const share = limit > 0 ? Math.min(used / limit, 1) : 0;
  const full = alarm ? styles.alarm : styles.nearlyFull;
  const tone = share >= 0.9 && !calm ? full : mine ? styles.mine : styles.plain;
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers each draw a real <meter> in a way of their own
    <div
      className={thin ? `${styles.bar} ${styles.thin}` : styles.bar}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={used}
    >
      <div className={`${styles.fill} ${tone}`} style={{ width: `${share * 100}%` }} />
    </div>
  );
}
