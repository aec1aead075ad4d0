// 用量统计: card-hours that were held and really used, by person and group, day and month.
import { useQuery } from "@tanstack/react-query";
import { ConfigProvider } from "antd";
import { useMemo } from "react";
import { useLocation } from "react-router";
import { fullTime } from "@/shared/lib/time";
import { ExportButton } from "@/shared/list/ExportButton";
import { listSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { DataTable } from "@/shared/table/DataTable";
import { PageHeader } from "@/shared/ui/PageHeader";
import { usePhone } from "@/shared/ui/usePhone";
import { exportUsage, type UsageRow, usageQuery } from "./api";
import { periodsOf } from "./days";
import styles from "./Usage.module.css";
import { UsageCard, usageColumns } from "./UsageCells";
import { UsageChart } from "./UsageChart";
import { UsageSummary } from "./UsageSummary";
import { UsageTools } from "./UsageTools";
import { useUsageView } from "./use-usage-view";

export default function UsagePage() {
  const state = useUsageView();
  const { view, seesOthers, change } = state;
  const { days, by, subject, person, group } = view;
  const list = useListParams<never>({ sort: by === "range" ? "held" : "period", order: "desc" });
  const usage = useQuery(usageQuery(view, list));
  const phone = usePhone();
  const location = useLocation();
  const { from, to } = days;
  const periods = useMemo(() => periodsOf({ from, to }, by === "month" ? "month" : "day"), [from, to, by]);
  const { data } = usage;

  /** The link of a row, to its user or group. */
  function addressOf({ id }: UsageRow) {
    const chosen = subject === "group" ? group : person;
    if (id == null || chosen === id) return undefined;
    const next = new URLSearchParams(location.search);
    for (const name of ["page", "by", "sort", "order", "subject"]) next.delete(name);
    next.set(subject, String(id));
    return `${location.pathname}?${next}`;
  }

  return (
    <ConfigProvider componentSize={phone ? "large" : undefined}>
      <div className={styles.page}>
        <PageHeader
          title="用量统计"
          meta={data && (data.until ? `统计到 ${fullTime(data.until)}` : "还没有开始统计")}
          actions={<ExportButton name="用量统计" load={() => exportUsage(view, list)} />}
        />
        <UsageTools {...state} />
        <UsageSummary sum={data?.sum} />
        {data && data.points.length > 0 && (
          <UsageChart points={data.points} periods={periods} refreshing={usage.isPlaceholderData} />
        )}
        <DataTable<UsageRow>
          id="usage"
          label="用量明细"
          unit="条"
          rowHeight={40}
          rowKey={(row) => `${row.id ?? ""} ${row.period}`}
          columns={usageColumns(subject, seesOthers, addressOf)}
          source={listSource(usage)}
          list={list}
          card={(row) => <UsageCard row={row} seesOthers={seesOthers} addressOf={addressOf} />}
          filters={{
            active: [person, group].filter((chosen) => chosen !== undefined).length,
            onReset: () => change({ person: undefined, group: undefined }),
          }}
          empty={{
            icon: "gpu",
            text: "这段时间没有用量",
            note: "实例占用显卡或运行后，几分钟内会出现在这里",
          }}
        />
        <p className={styles.note}>
          按北京时间分日统计，每 5 分钟更新一次。
          {subject === "group" && "一个人同时在几个用户组时，每个组都会计入，合计只算一次。"}
        </p>
      </div>
    </ConfigProvider>
  );
}
