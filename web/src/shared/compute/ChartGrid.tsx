// Charts beside each other over one span of time, or the reason why there are none.
import { Chart } from "@/shared/chart/Chart";
import type { Series } from "@/shared/chart/series";
import styles from "./Charts.module.css";
import { spanText } from "./text";

export interface ChartOf {
  title: string;
  series: readonly Series[];
  max?: number | undefined;
  of?: string | undefined;
  format: (value: number) => string;
}

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

export function ChartGrid({ charts, minutes, answers, none }: ChartGridProps) {
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
  return (
    <div className={styles.charts}>
      {charts.map((chart) => (
        <Chart
          key={chart.title}
          {...chart}
          from={to - minutes * 60_000}
          to={to}
          ago={spanText(minutes * 60)}
        />
      ))}
    </div>
  );
}
