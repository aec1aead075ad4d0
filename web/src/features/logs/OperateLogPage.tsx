// 操作日志: changes, their actor, object and result.

import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { actionLabel, actionOptions } from "@/shared/lib/operate-actions";
import { ExportButton } from "@/shared/list/ExportButton";
import { listSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { usePanel } from "@/shared/list/use-panel";
import { DataTable } from "@/shared/table/DataTable";
import type { DataColumn } from "@/shared/table/data-table";
import { FilterSelect } from "@/shared/table/FilterSelect";
import { PageHeader } from "@/shared/ui/PageHeader";
import { TimeText } from "@/shared/ui/TimeText";
import {
  exportOperateLogs,
  type OperateFilter,
  type OperateLog,
  operateFilters,
  operateLogsQuery,
} from "./api";
import { LogCard } from "./LogCard";
import { LogFilters } from "./LogFilters";
import { OperateDetail, OperateResult } from "./OperateDetail";
import styles from "./OperateLog.module.css";
import { operateResultOptions } from "./status";

const columns: readonly DataColumn<OperateLog>[] = [
  {
    key: "time",
    title: "时间",
    sort: "time",
    always: true,
    render: ({ time }) => <TimeText time={time} full />,
  },
  { key: "username", title: "用户名", always: true, render: ({ username }) => username },
  { key: "action", title: "操作", render: ({ action }) => <span title={action}>{actionLabel(action)}</span> },
  {
    key: "target",
    title: "对象",
    render: ({ target }) => (
      <span className={styles.target} title={target}>
        {target}
      </span>
    ),
  },
  {
    key: "result",
    title: "结果",
    render: ({ result, count }) => <OperateResult result={result} count={count} />,
  },
  { key: "ip", title: "IP 地址", render: ({ ip }) => ip },
];

const panels = ["detail"] as const;

export default function OperateLogPage() {
  const list = useListParams<OperateFilter>({ sort: "time", order: "desc", filters: operateFilters });
  const panel = usePanel(panels);
  const logs = useQuery(operateLogsQuery(list));
  const entry = logs.data?.items.find(({ id }) => String(id) === panel.id);
  const open = ({ id, action }: OperateLog) => (
    <Button
      type="text"
      size="small"
      aria-label={`${actionLabel(action)}的详情`}
      onClick={() => panel.show("detail", id)}
    >
      详情
    </Button>
  );
  return (
    <>
      <PageHeader
        title="操作日志"
        meta={logs.data && `共 ${logs.data.total.toLocaleString("zh-CN")} 条`}
        actions={<ExportButton name="操作日志" load={() => exportOperateLogs(list)} />}
      />
      <DataTable<OperateLog>
        id="operate_log"
        label="操作日志"
        unit="条"
        rowHeight={40}
        rowKey={(row) => row.id}
        columns={[...columns, { key: "actions", title: "操作", align: "right", always: true, render: open }]}
        source={listSource(logs)}
        list={list}
        card={(row) => (
          <LogCard
            title={`${row.username} ${actionLabel(row.action)}`}
            time={row.time}
            state={<OperateResult result={row.result} count={row.count} />}
            facts={[row.target, row.ip]}
            action={open(row)}
          />
        )}
        filters={{
          search: { placeholder: "对象、详情", value: list.q, onSearch: list.setSearch },
          children: (
            <LogFilters list={list} results={operateResultOptions}>
              <FilterSelect
                label="操作"
                width={128}
                value={list.filters.action}
                options={actionOptions}
                onChange={(action) => list.setFilters({ action })}
              />
            </LogFilters>
          ),
          active: list.active,
          onReset: list.reset,
        }}
        empty={{ icon: "log", text: "还没有操作记录" }}
      />
      <OperateDetail
        entry={entry}
        open={panel.name === "detail" && entry !== undefined}
        onClose={panel.close}
      />
    </>
  );
}
