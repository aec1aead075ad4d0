// 告警: present and past faults of the lab, since when, and silencing known ones.
import { useQuery } from "@tanstack/react-query";
import { type Alert, alertsQuery } from "@/shared/alerts/api";
import { SilenceButton } from "@/shared/alerts/SilenceButton";
import { isKind, isState, kindOptions, stateOptions } from "@/shared/alerts/words";
import { listSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { DataTable } from "@/shared/table/DataTable";
import { FilterSelect } from "@/shared/table/FilterSelect";
import { PageHeader } from "@/shared/ui/PageHeader";
import { AlertCard, AlertLink, alertColumns } from "./AlertCells";
import styles from "./Alerts.module.css";

const filters = ["state", "kind"] as const;

const actions = (alert: Alert) => (
  <span className={styles.actions}>
    <AlertLink alert={alert} />
    <SilenceButton alert={alert} />
  </span>
);

export default function AlertsPage() {
  const list = useListParams({ sort: "since", order: "desc", filters });
  const { page, size, sort, order, q } = list;
  const { state, kind } = list.filters;
  const alerts = useQuery(
    alertsQuery({
      page,
      size,
      sort,
      order,
      ...(q && { q }),
      ...(isState(state) && { state }),
      ...(isKind(kind) && { kind }),
    }),
  );
  return (
    <>
      <PageHeader title="告警" meta={alerts.data && `共 ${alerts.data.total.toLocaleString("zh-CN")} 条`} />
      <DataTable<Alert>
        id="alerts"
        label="告警"
        unit="条"
        rowHeight={52}
        rowKey={({ id }) => id}
        columns={[
          ...alertColumns,
          { key: "actions", title: "操作", align: "right", always: true, render: actions },
        ]}
        source={listSource(alerts)}
        list={list}
        muted={(one) => one.state === "resolved"}
        card={(one) => <AlertCard alert={one} action={actions(one)} />}
        filters={{
          search: { placeholder: "对象、说明", value: q, onSearch: list.setSearch },
          children: (
            <>
              <FilterSelect
                label="状态"
                value={state}
                options={stateOptions}
                onChange={(value) => list.setFilters({ state: value })}
              />
              <FilterSelect
                label="类型"
                value={kind}
                options={kindOptions}
                onChange={(value) => list.setFilters({ kind: value })}
              />
            </>
          ),
          active: list.active,
          onReset: list.reset,
        }}
        empty={{
          icon: "success",
          text: "没有告警",
          note: "服务器失联、显卡或磁盘出问题、证书快到期、备份失败等会记在这里，并通知管理员",
        }}
      />
    </>
  );
}
