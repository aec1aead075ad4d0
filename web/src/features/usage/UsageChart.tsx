// 卡时 of each day or month as stacked bars: used, idle, and not measured.
import { useEffect, useMemo } from "react";
import { labelOf, tooltipOf, useEngine } from "@/shared/chart/use-engine";
import { formatCount } from "@/shared/lib/numbers";
import { useUi } from "@/shared/stores/ui";
import { accentOf } from "@/shared/theme/accent";
import { palettes } from "@/shared/theme/tokens";
import { useScheme } from "@/shared/theme/use-scheme";
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

const hoursText = (hours: number) => `${formatCount(hours)} 卡时`;

export function UsageChart({ points, periods, refreshing }: UsageChartProps) {
  const { place, draw } = useEngine();
  const scheme = useScheme();
  const theme = useUi((ui) => ui.theme);
  const bars = useMemo(() => barsOf(points, periods), [points, periods]);

  useEffect(() => {
    const { text3, split } = palettes[scheme];
    const looks = {
      used: { color: accentOf(theme, scheme).primaryText },
      idle: { color: text3, opacity: 0.35 },
      unmeasured: { color: "transparent", borderColor: text3, borderWidth: 1, borderType: "dashed" as const },
    };
    draw({
      animation: false,
      grid: { left: 0, right: 0, top: 10, bottom: 0 },
      xAxis: {
        type: "category",
        data: bars.map(({ label }) => label),
        axisLabel: labelOf(scheme),
        axisTick: { show: false },
        axisLine: { lineStyle: { color: split } },
      },
      yAxis: {
        type: "value",
        min: 0,
        splitNumber: 3,
        axisLabel: labelOf(scheme),
        splitLine: { lineStyle: { color: split } },
      },
      tooltip: tooltipOf(scheme, hoursText),
      series: parts.map(({ key, name }) => ({
        name,
        type: "bar",
        stack: "hours",
        barMaxWidth: 28,
        itemStyle: looks[key],
        data: bars.map((bar) => bar[key]),
      })),
    });
  }, [draw, bars, scheme, theme]);

  return (
    <Panel
      title="卡时"
      refreshing={refreshing}
      extra={
        <span className={styles.legend}>
          {parts.map(({ key, name }) => (
            <span key={key}>
              <i className={styles[key]} />
              {name}
            </span>
          ))}
        </span>
      }
    >
      <div className={styles.chart}>
        <div ref={place} className={styles.place} role="img" aria-label={summaryOf(bars)} />
      </div>
    </Panel>
  );
}

/** 卡时，11-01 到 11-20：最多的是 11-07，占用 48 卡时，实际使用 31.2 卡时。 */
function summaryOf(bars: readonly PeriodBar[]): string {
  const held = ({ used, idle, unmeasured }: PeriodBar) => used + idle + unmeasured;
  const [first, last] = [bars[0], bars.at(-1)];
  const most = bars.toSorted((a, b) => held(b) - held(a))[0];
  if (!first || !last || !most) return "卡时。还没有数据。";
  return `卡时，${first.label} 到 ${last.label}：最多的是 ${most.label}，占用 ${hoursText(held(most))}，实际使用 ${hoursText(most.used)}。`;
}
