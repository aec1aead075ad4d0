// A line chart: uPlot, which is loaded on demand, draws it; the text beside it gives the same information.
import { useMemo } from "react";
import { useUi } from "@/shared/stores/ui";
import { accentOf } from "@/shared/theme/accent";
import { palettes, type Scheme, type ThemeColor } from "@/shared/theme/tokens";
import { useScheme } from "@/shared/theme/use-scheme";
import styles from "./Chart.module.css";
import { type PointingStore, type TimeRange, usePointedTime } from "./pointing";
import { momentText, topOf } from "./scale";
import { hasValues, highestOf, latestOf, type Series, spacingOf, summaryOf, valueAt } from "./series";
import { usePlot } from "./use-plot";

export interface ChartOf {
  title: string;
  series: readonly Series[];
  /** What the values can't exceed. */
  max?: number | undefined;
  /** The maximum of the latest value, shown after it. */
  of?: string | undefined;
  format: (value: number) => string;
  /** Counts, which have no halves. */
  whole?: boolean;
  /** Bytes, which are counted by 1024. */
  bytes?: boolean;
  /** Where strips begin to colour, if not at 0. */
  least?: number | undefined;
}

interface ChartProps extends ChartOf {
  shown: TimeRange;
  pointing: PointingStore;
}

/** Lines differ by their dashes as well as by their colours. */
const dashes: readonly (readonly number[])[] = [[], [6, 4], [2, 3]];
const dashStyles = ["solid", "dashed", "dotted"] as const;

function lineColors(theme: ThemeColor, scheme: Scheme): readonly string[] {
  const { text3, ok, warn } = palettes[scheme];
  return [accentOf(theme, scheme).primaryText, text3, ok, warn];
}

export function Chart(props: ChartProps) {
  const { title, series, shown, max, format, of, whole = false, bytes = false, pointing } = props;
  const scheme = useScheme();
  const theme = useUi((ui) => ui.theme);
  const time = usePointedTime(pointing);
  const look = useMemo(() => ({ colors: lineColors(theme, scheme), dashes, scheme }), [theme, scheme]);
  const top = topOf({ max, highest: highestOf(series), base: bytes ? 1024 : 1000, whole });
  const place = usePlot({ series, shown, top, format, look, pointing });
  const reach = 1.5 * spacingOf(series);
  const shownValue = (one: Series) => (time === null ? latestOf(one) : valueAt(one, time, reach));

  return (
    <figure className={styles.chart}>
      <figcaption className={styles.head}>
        <span className={styles.title}>{title}</span>
        {time !== null && <span className={styles.moment}>{momentText(time, shown)}</span>}
        <span className={styles.values}>
          {series.map((one, index) => {
            const value = shownValue(one);
            return (
              <span key={one.name}>
                {series.length > 1 && (
                  <>
                    <i
                      style={{
                        borderTopColor: look.colors[index % look.colors.length],
                        borderTopStyle: dashStyles[index % dashStyles.length],
                      }}
                    />
                    {one.name}{" "}
                  </>
                )}
                <b>{value === undefined ? "—" : format(value)}</b>
                {of && hasValues(series) && ` / ${of}`}
              </span>
            );
          })}
        </span>
      </figcaption>
      <div ref={place} className={styles.place} role="img" aria-label={summaryOf(title, series, format)} />
    </figure>
  );
}
