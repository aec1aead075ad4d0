// An instance's own use: CPU, memory, network, processes.
import { useQuery } from "@tanstack/react-query";
import type { ChartOf } from "@/shared/chart/Chart";
import { hasValues, highestOf, lineOf } from "@/shared/chart/series";
import { type InstanceDetail, type InstanceSample, instanceSamplesQuery } from "@/shared/compute/api";
import { ChartGrid } from "@/shared/compute/ChartGrid";
import { coresText, memoryText } from "@/shared/compute/text";
import { coresOf, formatCount, formatSize } from "@/shared/lib/numbers";

interface UsageProps {
  instance: InstanceDetail;
  minutes: number;
}

interface Samples {
  items: readonly InstanceSample[];
  /** Seconds between two samples. */
  span: number;
}

const nothing: Samples = { items: [], span: 0 };

/**
 * One chart each; values that were not measured have none. Limits are the present ones, and may have been larger
 * before.
 */
export function chartsOf({ items, span }: Samples, cpuQuota: number): ChartOf[] {
  const line = (name: string, value: (sample: InstanceSample) => number | null | undefined) =>
    lineOf(name, items, span, value);
  const cpu = [line("CPU", (sample) => sample.cpu)];
  const memory = [line("内存", (sample) => sample.memory)];
  const limit = items.findLast(({ memoryLimit }) => memoryLimit)?.memoryLimit ?? undefined;
  const charts: ChartOf[] = [
    {
      title: "CPU",
      series: cpu,
      max: Math.max(coresOf(cpuQuota), highestOf(cpu)),
      of: coresText(cpuQuota),
      format: (value) => `${formatCount(value)} 核`,
    },
    {
      title: "内存",
      series: memory,
      ...(limit && { max: Math.max(limit, highestOf(memory)), of: memoryText(limit) }),
      format: memoryText,
      bytes: true,
    },
    {
      title: "网络",
      series: [line("接收", ({ received }) => received), line("发送", ({ sent }) => sent)],
      format: (value) => `${formatSize(value)}/s`,
      bytes: true,
    },
    {
      title: "进程和线程",
      series: [line("进程和线程", ({ pids }) => pids)],
      format: formatCount,
      whole: true,
    },
  ];
  return charts.filter(({ series }) => hasValues(series));
}

export function Usage({ instance: { id, cpuQuota }, minutes }: UsageProps) {
  const samples = useQuery(instanceSamplesQuery(id, minutes));
  return (
    <ChartGrid
      charts={chartsOf(samples.data ?? nothing, cpuQuota)}
      minutes={minutes}
      answers={[samples]}
      none="这段时间没有用量数据，实例运行几秒后开始记录"
    />
  );
}
