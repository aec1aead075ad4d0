// The recycle bin in place of a folder's listing.
import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { useState } from "react";
import { formatSize } from "@/shared/lib/numbers";
import { listSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { Icon } from "@/shared/theme/Icon";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { DataTable } from "@/shared/ui/DataTable";
import { RowActions } from "@/shared/ui/RowActions";
import { useDisk } from "../disk-context";
import { shownName } from "../disk-paths";
import { type TrashItem, trashQuery, useEmptyTrash, usePurge } from "./api";
import { TrashCard, trashColumns } from "./TrashCells";
import styles from "./TrashView.module.css";
import { useRestore } from "./useRestore";

export function TrashView() {
  const { host } = useDisk();
  const list = useListParams({ sort: "deleted", order: "desc", size: 50 });
  const trash = useQuery(trashQuery(host, list.page, list.size));
  const [selected, setSelected] = useState<readonly string[]>([]);
  const [asking, setAsking] = useState<readonly TrashItem[] | "all" | null>(null);
  const restore = useRestore();
  const items = trash.data?.items ?? [];
  const chosen = items.filter(({ id }) => selected.includes(id));
  const total = trash.data?.total ?? 0;

  async function bringBack(what: readonly TrashItem[]) {
    await restore(what);
    setSelected([]);
  }

  const actions = (item: TrashItem) => (
    <RowActions
      name={shownName(item.name)}
      first={[{ key: "restore", label: "恢复", onClick: () => void bringBack([item]) }]}
      more={[{ key: "purge", label: "彻底删除", danger: true, onClick: () => setAsking([item]) }]}
    />
  );
  return (
    <div className={styles.view}>
      <DataTable<TrashItem>
        id="netdisk-trash"
        label="回收站"
        unit="项"
        rowHeight={40}
        rowKey={(item) => item.id}
        columns={[
          ...trashColumns,
          { key: "actions", title: "操作", align: "right", always: true, render: actions },
        ]}
        source={listSource(trash)}
        list={list}
        card={(item) => <TrashCard item={item} actions={actions(item)} />}
        selection={{
          keys: selected,
          onChange: (keys) => setSelected(keys.map(String)),
          unit: "项",
          nameOf: (item) => shownName(item.name),
          actions: (
            <>
              <Button type="text" onClick={() => void bringBack(chosen)}>
                恢复
              </Button>
              <Button type="text" danger onClick={() => setAsking(chosen)}>
                彻底删除
              </Button>
            </>
          ),
        }}
        filters={{ active: 0, onReset: list.reset }}
        tools={
          total > 0 && (
            <Button
              type="text"
              danger
              icon={<Icon name="trash" size={14} />}
              onClick={() => setAsking("all")}
            >
              清空
            </Button>
          )
        }
        empty={{ icon: "trash", text: "回收站是空的", note: "删除的文件会先到这里，到期后自动清除" }}
      />
      <PurgePrompt
        what={asking}
        onDone={() => {
          setAsking(null);
          setSelected([]);
        }}
        onClose={() => setAsking(null)}
      />
    </div>
  );
}

interface PurgePromptProps {
  what: readonly TrashItem[] | "all" | null;
  onDone: () => void;
  onClose: () => void;
}

function PurgePrompt({ what, onDone, onClose }: PurgePromptProps) {
  const { host } = useDisk();
  const { message } = App.useApp();
  const purge = usePurge(host);
  const empty = useEmptyTrash(host);
  if (what === null) return null;
  const [first] = what === "all" ? [] : what;
  const name = what !== "all" && what.length === 1 && first ? shownName(first.name) : null;
  const size = what === "all" ? 0 : what.reduce((sum, item) => sum + item.size, 0);
  const outcome = {
    onSuccess: () => {
      message.success(what === "all" ? "已清空回收站" : `已彻底删除 ${what.length} 项`, 1.5);
      onDone();
    },
    onError: (error: Error) => {
      message.error(`删除失败：${error.message}`, 2);
      onClose();
    },
  };
  return (
    <ConfirmDanger
      open
      title={what === "all" ? "清空回收站？" : `彻底删除 ${name ?? `选中的 ${what.length} 项`}？`}
      verb={what === "all" ? "清空" : "彻底删除"}
      submitting={purge.isPending || empty.isPending}
      onConfirm={() =>
        what === "all"
          ? empty.mutate(undefined, outcome)
          : purge.mutate(
              what.map(({ id }) => id),
              outcome,
            )
      }
      onClose={onClose}
    >
      {what === "all"
        ? "你删除的所有文件和文件夹会立即清除，不能找回。"
        : `立即清除并腾出 ${formatSize(size)}，不能找回。`}
    </ConfirmDanger>
  );
}
