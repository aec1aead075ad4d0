// The recycle bin in place of a folder's listing.
import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { useState } from "react";
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { listSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { DataTable } from "@/shared/table/DataTable";
import { RowActions } from "@/shared/table/RowActions";
import { Icon } from "@/shared/theme/Icon";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { lacking } from "../actions";
import { useDisk } from "../disk-context";
import { shownName } from "../disk-paths";
import { keepDaysQuery, roomOf, type TrashItem, trashQuery, useEmptyTrash, usePurge } from "./api";
import { TrashCard, trashColumns } from "./TrashCells";
import styles from "./TrashView.module.css";
import { useRestore } from "./useRestore";

export function TrashView() {
  const { host, viewer } = useDisk();
  const list = useListParams({ sort: "deleted", order: "desc", size: 50 });
  const trash = useQuery(trashQuery(host, list.page, list.size));
  const { data: keepDays = null } = useQuery(keepDaysQuery(host));
  const [selected, setSelected] = useState<readonly string[]>([]);
  const [asking, setAsking] = useState<readonly TrashItem[] | "all" | null>(null);
  const restore = useRestore();
  const items = trash.data?.items ?? [];
  const chosen = items.filter(({ id }) => selected.includes(id));
  const total = trash.data?.total ?? 0;
  const closed = lacking(viewer, "create");

  async function bringBack(what: readonly TrashItem[]) {
    await restore(what);
    setSelected([]);
  }

  const actions = (item: TrashItem) => (
    <RowActions
      name={shownName(item.name)}
      first={[
        { key: "restore", label: "恢复", disabledReason: closed, onClick: () => void bringBack([item]) },
      ]}
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
              <Button
                type="text"
                disabled={closed !== undefined}
                title={closed}
                onClick={() => void bringBack(chosen)}
              >
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
        empty={{ icon: "trash", text: "回收站是空的", note: emptyNote(keepDays) }}
      />
      <PurgePrompt
        what={asking}
        total={total}
        onDone={() => {
          setAsking(null);
          setSelected([]);
        }}
        onClose={() => setAsking(null)}
      />
    </div>
  );
}

function emptyNote(keepDays: number | null): string {
  if (keepDays === null) return "删除的文件会先到这里";
  return keepDays === 0
    ? "回收站已关闭，删除的文件会直接清除"
    : `删除的文件会先到这里，${keepDays} 天后自动清除`;
}

interface PurgePromptProps {
  what: readonly TrashItem[] | "all" | null;
  /** How many there are in the bin. */
  total: number;
  onDone: () => void;
  onClose: () => void;
}

function PurgePrompt({ what, total, onDone, onClose }: PurgePromptProps) {
  const { host } = useDisk();
  const { message } = App.useApp();
  const purge = usePurge(host);
  const empty = useEmptyTrash(host);
  if (what === null) return null;
  const [first] = what === "all" ? [] : what;
  const name = what !== "all" && what.length === 1 && first ? shownName(first.name) : null;
  const size = what === "all" ? 0 : what.reduce((sum, item) => sum + roomOf(item), 0);

  function emptied(left: number) {
    if (left === 0) message.success("已清空回收站", 1.5);
    else if (left < total) message.success(`已清空你删除的，别人删除的 ${left} 项还在`, 1.5);
    else message.info("回收站里没有你删除的东西，别人的没有动", 1);
    onDone();
  }

  function purged(count: number) {
    message.success(`已彻底删除 ${formatCount(count)} 项`, 1.5);
    onDone();
  }

  function failed(error: Error) {
    message.error(`删除失败：${error.message}`, 2);
    onClose();
  }

  return (
    <ConfirmDanger
      open
      title={
        what === "all" ? "清空回收站？" : `彻底删除 ${name ?? `选中的 ${formatCount(what.length)} 项`}？`
      }
      verb={what === "all" ? "清空" : "彻底删除"}
      submitting={purge.isPending || empty.isPending}
      onConfirm={() =>
        what === "all"
          ? empty.mutate(undefined, { onSuccess: emptied, onError: failed })
          : purge.mutate(
              what.map(({ id }) => id),
              { onSuccess: () => purged(what.length), onError: failed },
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
