// 标签管理: the words by which datasets are found, for administrators.
import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { useState } from "react";
import { useListParams } from "@/shared/list/use-list-params";
import { usePanel } from "@/shared/list/use-panel";
import { DataTable } from "@/shared/table/DataTable";
import type { DataColumn } from "@/shared/table/data-table";
import { FilterSelect } from "@/shared/table/FilterSelect";
import { RowActions } from "@/shared/table/RowActions";
import { Icon } from "@/shared/theme/Icon";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { PageHeader } from "@/shared/ui/PageHeader";
import { type Label, labelsQuery, useDeleteLabel } from "./api";
import { LabelDrawer } from "./LabelDrawer";
import styles from "./LabelManagePage.module.css";
import { LabelTag } from "./LabelTag";
import { kindLabels, kindOptions } from "./words";

const columns: readonly DataColumn<Label>[] = [
  { key: "name", title: "标签", always: true, render: (label) => <LabelTag label={label} /> },
  { key: "kind", title: "分类", render: ({ kind }) => kindLabels[kind] },
  { key: "color", title: "颜色", render: ({ color }) => <code className={styles.color}>{color}</code> },
  { key: "uses", title: "数据集", align: "right", render: ({ uses }) => uses },
];

const filters = ["kind"] as const;
const panels = ["new", "edit"] as const;

export default function LabelManagePage() {
  const list = useListParams({ sort: "name", order: "asc", size: 50, filters });
  const panel = usePanel(panels);
  const labels = useQuery(labelsQuery);
  const [deleting, setDeleting] = useState<Label | null>(null);
  const all = labels.data?.items ?? [];
  // There are few, so they come all at once, and the page looks among them.
  const found = all.filter(
    ({ name, kind }) =>
      name.toLowerCase().includes(list.q.toLowerCase()) && (!list.filters.kind || kind === list.filters.kind),
  );
  const items = found.slice((list.page - 1) * list.size, list.page * list.size);
  const create = (
    <Button type="primary" icon={<Icon name="plus" size={14} />} onClick={() => panel.show("new")}>
      新建标签
    </Button>
  );
  const actions = (label: Label) => (
    <RowActions
      name={label.name}
      first={[{ key: "edit", label: "编辑", onClick: () => panel.show("edit", label.id) }]}
      more={[{ key: "delete", label: "删除", danger: true, onClick: () => setDeleting(label) }]}
    />
  );
  return (
    <>
      <PageHeader title="标签管理" meta={labels.data && `共 ${all.length} 个标签`} actions={create} />
      <DataTable<Label>
        id="labels"
        label="标签列表"
        unit="个"
        rowKey={({ id }) => id}
        columns={[
          ...columns,
          { key: "actions", title: "操作", align: "right", always: true, render: actions },
        ]}
        source={{
          data: labels.data && { items, total: found.length },
          error: labels.error,
          fetching: labels.isFetching,
          onRetry: () => void labels.refetch(),
        }}
        list={list}
        card={(label) => (
          <div className={styles.card}>
            <span>
              <LabelTag label={label} />
              <small className={styles.facts}>
                {kindLabels[label.kind]} · {label.uses} 个数据集
              </small>
            </span>
            {actions(label)}
          </div>
        )}
        filters={{
          search: { placeholder: "标签名称", value: list.q, onSearch: list.setSearch },
          active: list.active,
          onReset: list.reset,
          children: (
            <FilterSelect
              label="分类"
              value={list.filters.kind}
              options={kindOptions}
              onChange={(kind) => list.setFilters({ kind })}
            />
          ),
        }}
        empty={{
          icon: "dataset",
          text: "还没有标签",
          note: "数据集的所有者从这些标签里选，大家按标签筛选",
          action: create,
        }}
      />
      <LabelDrawer
        key={`new ${panel.opening}`}
        open={panel.name === "new"}
        label={null}
        onClose={panel.close}
      />
      <LabelDrawer
        key={`edit ${panel.opening} ${labels.isSuccess}`}
        open={panel.name === "edit" && labels.isSuccess}
        label={all.find(({ id }) => id === panel.id) ?? null}
        onClose={panel.close}
      />
      <DeleteLabel label={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

function DeleteLabel({ label, onClose }: { label: Label | null; onClose: () => void }) {
  const { message } = App.useApp();
  const remove = useDeleteLabel();
  // The words stay while the dialogue fades out.
  const [last, setLast] = useState(label);
  if (label && label !== last) setLast(label);
  if (!last) return null;
  return (
    <ConfirmDanger
      open={label !== null}
      title={`删除标签 ${last.name}？`}
      verb="删除"
      shortName={last.name}
      submitting={remove.isPending}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(last.id, {
          onSuccess: () => message.success(`已删除标签 ${last.name}`, 1.5),
          onError: (error) => message.error(error.message, 2),
          onSettled: onClose,
        })
      }
    >
      {last.uses > 0 ? `${last.uses} 个数据集会失去这个标签，不能恢复。` : "没有数据集在用这个标签。"}
    </ConfirmDanger>
  );
}
