// 卡时 of each day or month as stacked bars: used, idle, and not measured.
import { useMemo, useState } from "react";
import { marksOf, topOf } from "@/shared/chart/scale";
import { highestOf } from "@/shared/chart/series";
import { formatCount } from "@/shared/lib/numbers";
import { Panel } from "@/shared/ui/Panel";
import type { UsagePoint } from "./api";
import { barsOf, type PeriodBar, parts } from "./bars";
import styles from "./Usage.module.css";

interface UsageChartProps {
  points: readonly UsagePoint[];
  /** Every period of the axis. */
  periods: readonly string[];
  refreshing: boolean;
}

/** More labels would run into each other. */
const LABELS = 12;

const hoursText = (hours: number) => `${formatCount(hours)} 卡时`;
const heldOf = ({ used, idle, unmeasured }: PeriodBar) => used + idle + unmeasured;

export function UsageChart({ points, periods, refreshing }: UsageChartProps) {
  const bars = useMemo(() => barsOf(points, periods), [points, periods]);
  const [pointed, setPointed] = useState<number | null>(null);
  const highest = highestOf([{ name: "", points: bars.map((bar, at) => [at, heldOf(bar)]) }]);
  const top = topOf({ max: undefined, highest, base: 1000, whole: false });
  const every = Math.ceil(bars.length / LABELS);
  const bar = pointed === null ? undefined : bars[pointed];

  return (
    <Panel
      title="卡时"
      refreshing={refreshing}
      extra={
        <span className={styles.legend}>
          {bar && <b>{bar.label}</b>}
          {parts.map(({ key, name }) => (
            <span key={key}>
              <i className={styles[key]} />
              {name}
              {bar && <b> {hoursText(bar[key])}</b>}
            </span>
          ))}
        </span>
      }
    >
      <div className={styles.chart}>
        <div className={styles.marks} aria-hidden="true">
          {marksOf(top)
            .toReversed()
            .map((mark) => (
              <span key={mark}>{formatCount(mark)}</span>
            ))}
        </div>
        <div
          className={styles.place}
          role="img"
          aria-label={summaryOf(bars)}
          onPointerLeave={() => setPointed(null)}
        >
          {bars.map((one, index) => (
            <div
              key={one.label}
              className={index === pointed ? `${styles.column} ${styles.pointed}` : styles.column}
              onPointerEnter={() => setPointed(index)}
            >
              {parts.toReversed().map(({ key }) => (
                <i key={key} className={styles[key]} style={{ height: `${(one[key] / top) * 100}%` }} />
              ))}
              {index % every === 0 && <span className={styles.label}>{one.label}</span>}
            </div>
          ))}
        </div>
      </div>
    </Panel>
  );
}

/** 卡时，11-01 到 11-20：最多的是 11-07，占用 48 卡时，实际使用 31.2 卡时。 */
function summaryOf(bars: readonly PeriodBar[]): string {
  const [first, last] = [bars[0], bars.at(-1)];
  const most = bars.toSorted((a, b) => heldOf(b) - heldOf(a))[0];
  if (!first || !last || !most) return "卡时。还没有数据。";
  return `卡时，${first.label} 到 ${last.label}：最多的是 ${most.label}，占用 ${hoursText(heldOf(most))}，实际使用 ${hoursText(most.used)}。`;
}
