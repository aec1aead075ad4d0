// Charts beside each other over one span of time, with one moment and one choice of time for all, or the reason why there
// are none.
import { Button } from "antd";
import { Chart, type ChartOf } from "@/shared/chart/Chart";
import { HeatStrips } from "@/shared/chart/HeatStrips";
import { MomentSlider } from "@/shared/chart/MomentSlider";
import { usePointedRange, usePointingStore } from "@/shared/chart/pointing";
import { momentText } from "@/shared/chart/scale";
import { spacingOf, valueAt } from "@/shared/chart/series";
import styles from "./Charts.module.css";

/** The used part of a query's result. */
interface Answer {
  error: Error | null;
  isPending: boolean;
  dataUpdatedAt: number;
}

interface ChartGridProps {
  charts: readonly ChartOf[];
  minutes: number;
  answers: readonly Answer[];
  /** Shown when nothing was measured. */
  none: string;
}

/** More lines than this cover each other, so each has a strip of its own. */
const MOST_LINES = 3;

export function ChartGrid({ charts, minutes, answers, none }: ChartGridProps) {
  const pointing = usePointingStore();
  const range = usePointedRange(pointing);
  if (charts.length === 0) {
    const failed = answers.find(({ error }) => error)?.error;
    const pending = answers.some(({ isPending }) => isPending);
    return (
      <p className={styles.none} role="status">
        {failed ? `用量没有取到：${failed.message}` : pending ? "正在加载用量" : none}
      </p>
    );
  }
  const to = Math.max(...answers.map(({ dataUpdatedAt }) => dataUpdatedAt));
  const shown = range ?? ([to - minutes * 60_000, to] as const);
  return (
    <div className={styles.grid}>
      <MomentSlider shown={shown} pointing={pointing} textAt={(time) => textAt(charts, time)} />
      {range && (
        <div className={styles.range} role="status">
          {momentText(range[0], range)} – {momentText(range[1], range)}
          <Button size="small" onClick={() => pointing.setState({ range: null })}>
            显示全部
          </Button>
        </div>
      )}
      <div className={styles.charts}>
        {charts.map((chart) => {
          const props = { ...chart, shown, pointing };
          return chart.series.length > MOST_LINES ? (
            <HeatStrips key={chart.title} {...props} />
          ) : (
            <Chart key={chart.title} {...props} />
          );
        })}
      </div>
    </div>
  );
}

/** GPU 利用率 卡 0 19%、卡 1 22%；显存 … */
function textAt(charts: readonly ChartOf[], time: number): string {
  return charts
    .map(({ title, series, format }) => {
      const reach = 1.5 * spacingOf(series);
      const values = series.map((one) => {
        const value = valueAt(one, time, reach);
        const text = value === undefined ? "没有数据" : format(value);
        return series.length > 1 ? `${one.name} ${text}` : text;
      });
      return `${title} ${values.join("、")}`;
    })
    .join("；");
}
