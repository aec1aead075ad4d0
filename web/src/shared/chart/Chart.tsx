// A line chart: ECharts, which is loaded on demand, draws it; the text beside it gives the same information.
import { useEffect, useMemo } from "react";
import { useUi } from "@/shared/stores/ui";
import { accentOf } from "@/shared/theme/accent";
import { palettes, type Scheme, type ThemeColor } from "@/shared/theme/tokens";
import { useScheme } from "@/shared/theme/use-scheme";
import styles from "./Chart.module.css";
import { hasValues, latestOf, type Series, summaryOf } from "./series";
import { tooltipOf, useEngine } from "./use-engine";

interface ChartProps {
  title: string;
  series: readonly Series[];
  /** Milliseconds since 1970 that the axis spans. */
  from: number;
  to: number;
  /** The top of the axis; by default the values' maximum. */
  max?: number | undefined;
  format: (value: number) => string;
  /** The maximum of the latest value, shown after it. */
  of?: string | undefined;
  /** The length of the axis, in words. */
  ago: string;
  /** Shown when nothing was measured. */
  none?: string;
}

/** Lines differ by their dashes as well as by their colours. */
const dashes = ["solid", "solid", "dashed", "dashed", "dotted", "dotted"] as const;

function lineColors(theme: ThemeColor, scheme: Scheme): readonly string[] {
  const { text3, ok, warn, err, info } = palettes[scheme];
  return [accentOf(theme, scheme).primaryText, text3, ok, warn, err, info];
}

export function Chart({ title, series, from, to, max, format, of, ago, none = "还没有数据" }: ChartProps) {
  const { place, draw } = useEngine();
  const scheme = useScheme();
  const theme = useUi((ui) => ui.theme);
  const colors = useMemo(() => lineColors(theme, scheme), [theme, scheme]);
  const empty = !hasValues(series);

  useEffect(() => {
    const palette = palettes[scheme];
    draw({
      animation: false,
      color: [...colors],
      grid: { left: 0, right: 0, top: 6, bottom: 4 },
      xAxis: { type: "time", min: from, max: to, show: false },
      yAxis: {
        type: "value",
        min: 0,
        ...(max !== undefined && { max }),
        splitNumber: 2,
        axisLabel: { show: false },
        splitLine: { lineStyle: { color: palette.split } },
      },
      tooltip: tooltipOf(scheme, format),
      series: series.map(({ name, points }, index) => ({
        name,
        type: "line",
        showSymbol: false,
        connectNulls: false,
        data: points.map((point) => [...point]),
        lineStyle: { width: 1.5, type: dashes[index % dashes.length] },
        ...(series.length === 1 && { areaStyle: { opacity: 0.1 } }),
      })),
    });
  }, [draw, series, from, to, max, format, scheme, colors]);

  return (
    <figure className={styles.chart}>
      <figcaption className={styles.head}>
        <span className={styles.title}>{title}</span>
        {series.length > 1 && (
          <span className={styles.legend}>
            {series.map(({ name }, index) => (
              <span key={name}>
                <i
                  style={{
                    borderTopColor: colors[index % colors.length],
                    borderTopStyle: dashes[index % dashes.length],
                  }}
                />
                {name}
              </span>
            ))}
          </span>
        )}
        <b className={styles.now}>
          {series
            .map(latestOf)
            .flatMap((value) => (value === undefined ? [] : [format(value)]))
            .slice(0, 4)
            .join(" · ")}
          {of && !empty && ` / ${of}`}
        </b>
      </figcaption>
      <div className={styles.frame}>
        <div ref={place} className={styles.place} role="img" aria-label={summaryOf(title, series, format)} />
        {empty && <div className={styles.none}>{none}</div>}
      </div>
      <div className={styles.foot} aria-hidden="true">
        <span>{ago}前</span>
        {max !== undefined && <span>0–{format(max)}</span>}
        <span>现在</span>
      </div>
    </figure>
  );
}
