// 异常行为: findings that look like mining in instances, with their evidence, and the administrators' decisions.
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { links } from "@/shared/compute/links";
import { type Finding, findingsQuery } from "@/shared/findings/api";
import { listSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { usePanel } from "@/shared/list/use-panel";
import { DataTable } from "@/shared/table/DataTable";
import type { DataColumn } from "@/shared/table/data-table";
import { FilterSelect } from "@/shared/table/FilterSelect";
import { Icon } from "@/shared/theme/Icon";
import { PageHeader } from "@/shared/ui/PageHeader";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import { FindingDrawer } from "./FindingDrawer";
import styles from "./Findings.module.css";
import { WatchDrawer } from "./WatchDrawer";
import { isKind, isState, kindLooks, kindOptions, stateLooks, stateOptions } from "./words";

const filters = ["state", "kind"] as const;
const panels = ["handle", "settings"] as const;

function FindingStateText({ finding: { state, instance } }: { finding: Finding }) {
  const { label, icon, tone } = stateLooks[state];
  return (
    <span className={styles.lines}>
      <StateText icon={icon} tone={tone}>
        {label}
      </StateText>
      {instance.suspended && (
        <StateText icon="pause" tone="error">
          实例已暂停
        </StateText>
      )}
    </span>
  );
}

const sign = ({ kind, rule }: Finding) => (kind === "pattern" ? "长时间满载" : rule);

const columns: readonly DataColumn<Finding>[] = [
  {
    key: "lastSeen",
    title: "最近发现",
    sort: "lastSeen",
    always: true,
    render: ({ lastSeen }) => <TimeText time={lastSeen} />,
  },
  {
    key: "instance",
    title: "实例",
    always: true,
    render: ({ instance, username, server }) => (
      <span className={styles.lines}>
        <Link to={links.instance(instance.id)}>{instance.name}</Link>
        <small>
          {username} · {server}
        </small>
      </span>
    ),
  },
  {
    key: "sign",
    title: "特征",
    render: (one) => (
      <span className={styles.lines}>
        <span>{sign(one)}</span>
        <small>{kindLooks[one.kind].label}</small>
      </span>
    ),
  },
  {
    key: "detail",
    title: "证据",
    wide: true,
    render: ({ detail }) => (
      <span className={styles.evidence} title={detail}>
        {detail}
      </span>
    ),
  },
  {
    key: "count",
    title: "次数",
    sort: "count",
    align: "right",
    render: ({ count }) => count.toLocaleString("zh-CN"),
  },
  { key: "state", title: "状态", render: (one) => <FindingStateText finding={one} /> },
  { key: "handler", title: "处理人", wide: true, render: ({ handler }) => handler || "—" },
];

export default function FindingsPage() {
  const list = useListParams({ sort: "lastSeen", order: "desc", filters });
  const panel = usePanel(panels);
  const { page, size, sort, order, q } = list;
  const { state, kind } = list.filters;
  const findings = useQuery(
    findingsQuery({
      page,
      size,
      sort,
      order,
      ...(q && { q }),
      ...(isState(state) && { state }),
      ...(isKind(kind) && { kind }),
    }),
  );
  const found = findings.data?.items.find(({ id }) => id === panel.id);
  // Stays open when it leaves the list: after a decision, or while a note is being written.
  const [kept, setKept] = useState(found);
  if (found && found !== kept) setKept(found);
  const chosen = kept?.id === panel.id ? kept : undefined;
  const handle = (one: Finding) => (
    <Button
      type="text"
      size="small"
      aria-label={`处理 ${one.instance.name} 的${kindLooks[one.kind].label} ${sign(one)}`}
      onClick={() => panel.show("handle", one.id)}
    >
      处理
    </Button>
  );
  return (
    <>
      <PageHeader
        title="异常行为"
        meta={findings.data && `共 ${findings.data.total.toLocaleString("zh-CN")} 条`}
        actions={
          <Button icon={<Icon name="gear" size={14} />} onClick={() => panel.show("settings")}>
            监测设置
          </Button>
        }
      />
      <DataTable<Finding>
        id="findings"
        label="异常行为"
        unit="条"
        rowKey={({ id }) => id}
        columns={[
          ...columns,
          { key: "actions", title: "操作", align: "right", always: true, render: handle },
        ]}
        source={listSource(findings)}
        list={list}
        muted={(one) => one.state === "dismissed"}
        card={(one) => (
          <div className={styles.card}>
            <div className={styles.lines}>
              <Link to={links.instance(one.instance.id)}>{one.instance.name}</Link>
              <small>{[one.username, one.server, kindLooks[one.kind].label, sign(one)].join(" · ")}</small>
              <span className={styles.evidence}>{one.detail}</span>
              <FindingStateText finding={one} />
              <small>
                <TimeText time={one.lastSeen} /> · {one.count.toLocaleString("zh-CN")} 次
              </small>
            </div>
            {handle(one)}
          </div>
        )}
        filters={{
          search: { placeholder: "用户、实例、镜像、证据", value: q, onSearch: list.setSearch },
          children: (
            <>
              <FilterSelect
                label="状态"
                value={state}
                options={stateOptions}
                onChange={(value) => list.setFilters({ state: value })}
              />
              <FilterSelect
                label="特征"
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
          icon: "shield",
          text: "没有发现异常行为",
          note: "运行中的实例出现挖矿程序、矿池连接等迹象时会记在这里",
        }}
      />
      {chosen && (
        <FindingDrawer
          key={`handle ${panel.opening}`}
          open={panel.name === "handle"}
          finding={chosen}
          onClose={panel.close}
        />
      )}
      <WatchDrawer key={`settings ${panel.opening}`} open={panel.name === "settings"} onClose={panel.close} />
    </>
  );
}
