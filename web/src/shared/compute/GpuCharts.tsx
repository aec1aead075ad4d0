// Load of cards: utilization, memory, temperature and power, a line or a strip per card. A value that no card reports has
// no chart.
import { useQueries } from "@tanstack/react-query";
import { hasValues, lineOf } from "@/shared/chart/series";
import { type Gpu, type GpuSample, gpuSamplesQuery } from "./api";
import { ChartGrid } from "./ChartGrid";
import { memoryText } from "./text";

interface GpuChartsProps {
  gpus: readonly Gpu[];
  minutes: number;
  /** Only how busy they are. */
  brief?: boolean;
}

interface Measure {
  title: string;
  value: (sample: GpuSample) => number | null | undefined;
  max?: (gpus: readonly Gpu[]) => number | undefined;
  format: (value: number) => string;
  bytes?: boolean;
  least?: number;
}

const measures: readonly Measure[] = [
  {
    title: "GPU 利用率",
    value: ({ utilization }) => utilization,
    max: () => 100,
    format: (value) => `${Math.round(value)}%`,
  },
  {
    title: "显存",
    value: ({ memoryUsed }) => memoryUsed,
    max: (gpus) => Math.max(...gpus.map(({ memoryTotal }) => memoryTotal)) || undefined,
    format: memoryText,
    bytes: true,
  },
  {
    title: "温度",
    value: ({ temperature }) => temperature,
    least: 20,
    format: (value) => `${Math.round(value)} °C`,
  },
  { title: "功耗", value: ({ power }) => power, format: (value) => `${Math.round(value)} W` },
];

export function GpuCharts({ gpus, minutes, brief = false }: GpuChartsProps) {
  const answers = useQueries({ queries: gpus.map(({ id }) => gpuSamplesQuery(id, minutes)) });
  const charts = measures
    .slice(0, brief ? 1 : undefined)
    .map(({ title, value, max, format, bytes = false, least }) => ({
      title,
      format,
      bytes,
      least,
      max: max?.(gpus),
      series: gpus.map(({ index }, at) => {
        const { items = [], span = 0 } = answers[at]?.data ?? {};
        return lineOf(`卡 ${index}`, items, span, value);
      }),
    }));
  return (
    <ChartGrid
      charts={charts.filter(({ series }) => hasValues(series))}
      minutes={minutes}
      answers={answers}
      none="这段时间没有用量数据，按设备节点登记的卡不报告用量"
    />
  );
}
