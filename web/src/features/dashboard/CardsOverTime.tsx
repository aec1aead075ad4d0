// 显卡使用: how many of all cards were in use over a day or a month, and how busy they were; for administrators.
import { useQuery } from "@tanstack/react-query";
import { Segmented } from "antd";
import { useSearchParams } from "react-router";
import type { ChartOf } from "@/shared/chart/Chart";
import { hasValues, highestOf, lineOf } from "@/shared/chart/series";
import { ChartGrid } from "@/shared/compute/ChartGrid";
import { formatCount } from "@/shared/lib/numbers";
import { Panel } from "@/shared/ui/Panel";
import { type LabHistory, labHistoryQuery } from "./api";

const DAY = 24 * 60;
const spans = [
  { value: DAY, label: "24 小时" },
  { value: 30 * DAY, label: "30 天" },
];

const nothing: LabHistory = { items: [], span: 0 };

/** Values that were not measured have no chart, and a lab that had no cards has none at all. */
export function chartsOf({ items, span }: LabHistory): ChartOf[] {
  if (items.every(({ cards }) => cards === 0)) return [];
  const counts = [
    lineOf("在用", items, span, ({ used }) => used),
    lineOf("可用总数", items, span, ({ cards }) => cards),
  ];
  const charts: ChartOf[] = [
    {
      title: "在用卡数",
      series: counts,
      max: Math.max(1, highestOf(counts)),
      // Over a month a point is the mean of hours; a card is in use or not.
      format: (value) => `${formatCount(Math.round(value))} 张`,
      whole: true,
    },
    {
      title: "平均利用率",
      series: [lineOf("平均利用率", items, span, ({ utilization }) => utilization)],
      max: 100,
      format: (value) => `${Math.round(value)}%`,
    },
  ];
  return charts.filter(({ series }) => hasValues(series));
}

export function CardsOverTime() {
  const [address, setAddress] = useSearchParams();
  const minutes = spans.find(({ value }) => String(value) === address.get("cards"))?.value ?? DAY;
  const history = useQuery(labHistoryQuery(minutes));
  const choose = (value: number) =>
    setAddress(
      (old) => {
        const next = new URLSearchParams(old);
        if (value === DAY) next.delete("cards");
        else next.set("cards", String(value));
        return next;
      },
      { replace: true },
    );
  return (
    <Panel
      title="显卡使用"
      refreshing={history.isPlaceholderData}
      extra={<Segmented<number> aria-label="时间范围" value={minutes} options={spans} onChange={choose} />}
    >
      <ChartGrid
        charts={chartsOf(history.data ?? nothing)}
        minutes={minutes}
        answers={[history]}
        none={history.data?.items.length ? "这段时间没有可用的显卡" : "还没有记录，每分钟记录一次"}
      />
    </Panel>
  );
}
