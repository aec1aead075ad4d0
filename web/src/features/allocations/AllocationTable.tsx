// Allocations, one per row, with filters.
import { useQuery } from "@tanstack/react-query";
import { App } from "antd";
import { useState } from "react";
import { allServersQuery } from "@/shared/compute/api";
import { listSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { DataTable } from "@/shared/table/DataTable";
import type { DataColumn } from "@/shared/table/data-table";
import { FilterSelect } from "@/shared/table/FilterSelect";
import { RowActions } from "@/shared/table/RowActions";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./AllocationTable.module.css";
import { type Allocation, allocationsQuery, useEndAllocation } from "./api";
import { gpusText, isSubject, limitsText, modeLabels, subjectOptions, validityText, whoText } from "./words";

const filters = ["server", "subject"] as const;

function Validity({ allocation }: { allocation: Allocation }) {
  return (
    <span className={styles.lines}>
      <StateText icon={allocation.valid ? "success" : "clock"} tone={allocation.valid ? "success" : "off"}>
        {allocation.valid ? "有效" : "未生效"}
      </StateText>
      <small>{validityText(allocation)}</small>
    </span>
  );
}

const columns: readonly DataColumn<Allocation>[] = [
  { key: "server", title: "服务器", always: true, render: ({ serverName }) => serverName },
  { key: "who", title: "分配给", always: true, render: whoText },
  { key: "mode", title: "方式", render: ({ mode }) => modeLabels[mode] },
  { key: "gpus", title: "显卡", render: gpusText },
  { key: "limits", title: "每人上限", render: (one) => limitsText(one) || "不限" },
  { key: "valid", title: "有效期", render: (one) => <Validity allocation={one} /> },
  {
    key: "note",
    title: "备注",
    wide: true,
    render: ({ note }) => <span className={styles.note}>{note}</span>,
  },
  {
    key: "created",
    title: "创建时间",
    sort: "created",
    wide: true,
    render: ({ created }) => <TimeText time={created} />,
  },
];

export function AllocationTable({ onEdit }: { onEdit: (allocation: Allocation) => void }) {
  const list = useListParams({ sort: "created", order: "desc", filters });
  const { page, size, sort, order } = list;
  const { server, subject } = list.filters;
  const servers = useQuery(allServersQuery);
  const allocations = useQuery(
    allocationsQuery({
      page,
      size,
      sort,
      order,
      ...(server && { server }),
      ...(isSubject(subject) && { subject }),
    }),
  );
  const actions = (one: Allocation) => <AllocationActions allocation={one} onEdit={() => onEdit(one)} />;
  return (
    <DataTable<Allocation>
      id="allocations"
      label="分配列表"
      unit="条"
      rowKey={({ id }) => id}
      columns={[...columns, { key: "actions", title: "操作", align: "right", always: true, render: actions }]}
      source={listSource(allocations)}
      list={list}
      muted={({ valid }) => !valid}
      card={(one) => (
        <div className={styles.card}>
          <div className={styles.lines}>
            <b>
              {one.serverName} → {whoText(one)}
            </b>
            <small>
              {[modeLabels[one.mode], gpusText(one), limitsText(one)].filter(Boolean).join(" · ")}
            </small>
            <Validity allocation={one} />
          </div>
          {actions(one)}
        </div>
      )}
      filters={{
        children: (
          <>
            <FilterSelect
              label="服务器"
              width={144}
              value={server}
              options={(servers.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
              loading={servers.isPending}
              onChange={(value) => list.setFilters({ server: value })}
            />
            <FilterSelect
              label="分配给"
              value={subject}
              options={subjectOptions}
              onChange={(value) => list.setFilters({ subject: value })}
            />
          </>
        ),
        active: list.active,
        onReset: list.reset,
      }}
      empty={{ icon: "users", text: "还没有分配", note: "没有分配的服务器只有管理员能用" }}
    />
  );
}

function AllocationActions({ allocation, onEdit }: { allocation: Allocation; onEdit: () => void }) {
  const { message } = App.useApp();
  const [asking, setAsking] = useState(false);
  const end = useEndAllocation();
  const name = `${allocation.serverName} 给${whoText(allocation)}的分配`;
  return (
    <>
      <RowActions
        name={name}
        first={[{ key: "edit", label: "编辑", onClick: onEdit }]}
        more={[{ key: "end", label: "删除", danger: true, onClick: () => setAsking(true) }]}
      />
      <ConfirmDanger
        open={asking}
        title={`删除${name}？`}
        verb="删除"
        submitting={end.isPending}
        onConfirm={() =>
          end.mutate(allocation.id, {
            onSuccess: () => message.success("已删除分配", 1.5),
            onError: (error) => message.error(error.message, 2),
            onSettled: () => setAsking(false),
          })
        }
        onClose={() => setAsking(false)}
      >
        {whoText(allocation)}不能再在 {allocation.serverName} 上创建和启动实例；已经在运行的实例保留。
      </ConfirmDanger>
    </>
  );
}
