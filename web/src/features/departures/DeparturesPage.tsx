// 人员离开: all departures, their progress, and the outcome for what people had.
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { listSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { usePanel } from "@/shared/list/use-panel";
import { DataTable } from "@/shared/table/DataTable";
import type { DataColumn } from "@/shared/table/data-table";
import { FilterSelect } from "@/shared/table/FilterSelect";
import { PageHeader } from "@/shared/ui/PageHeader";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import { type Departure, departuresQuery } from "./api";
import { DepartureDrawer } from "./DepartureDrawer";
import styles from "./Departures.module.css";
import { stateLooks, stateOptions } from "./words";

const filters = ["state"] as const;
const panels = ["detail"] as const;

const Who = ({ one: { user } }: { one: Departure }) => (
  <span className={styles.lines}>
    <b>{user.name || user.username}</b>
    <small>{user.username}</small>
  </span>
);

function HowFar({ one }: { one: Departure }) {
  const { label, icon, tone } = stateLooks[one.state];
  return (
    <span className={styles.lines}>
      <StateText icon={icon} tone={tone}>
        {label}
      </StateText>
      {one.total > 0 && (
        <small>
          完成 {one.done} / {one.total} 项{one.failed > 0 && `，${one.failed} 项失败`}
        </small>
      )}
    </span>
  );
}

const columns: readonly DataColumn<Departure>[] = [
  { key: "user", title: "人员", always: true, render: (one) => <Who one={one} /> },
  { key: "state", title: "进展", always: true, render: (one) => <HowFar one={one} /> },
  { key: "by", title: "办理人", render: ({ by }) => by },
  { key: "created", title: "发起", render: ({ created }) => <TimeText time={created} full /> },
  { key: "ended", title: "办完", wide: true, render: ({ ended }) => <TimeText time={ended} full /> },
];

export default function DeparturesPage() {
  const list = useListParams({ sort: "created", order: "desc", filters });
  const panel = usePanel(panels);
  const { page, size, q } = list;
  const departures = useQuery(departuresQuery({ page, size, q, state: list.filters.state }));
  const look = (one: Departure) => (
    <Button
      type="link"
      size="small"
      aria-label={`查看 ${one.user.username} 的离开`}
      onClick={() => panel.show("detail", one.id)}
    >
      查看
    </Button>
  );
  return (
    <>
      <PageHeader title="人员离开" meta="在用户列表里选择要离开的人，办理移交和删除" />
      <DataTable<Departure>
        id="departures"
        label="人员离开"
        unit="人"
        rowHeight={52}
        rowKey={({ id }) => id}
        columns={[...columns, { key: "actions", title: "操作", align: "right", always: true, render: look }]}
        source={listSource(departures)}
        list={list}
        card={(one) => (
          <div className={styles.card}>
            <Who one={one} />
            <HowFar one={one} />
            {look(one)}
          </div>
        )}
        filters={{
          search: { placeholder: "姓名、用户名", value: q, onSearch: list.setSearch },
          children: (
            <FilterSelect
              label="进展"
              value={list.filters.state}
              options={stateOptions}
              onChange={(state) => list.setFilters({ state })}
            />
          ),
          active: list.active,
          onReset: list.reset,
        }}
        empty={{
          icon: "users",
          text: "还没有人离开",
          note: "有人毕业或离职时，在用户列表里选“离开并删除”办理",
        }}
      />
      <DepartureDrawer open={panel.name === "detail"} id={panel.id ?? ""} onClose={panel.close} />
    </>
  );
}
