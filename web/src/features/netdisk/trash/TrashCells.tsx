// How a deleted entry looks in the bin's columns and on a phone's card.
import type { ReactNode } from "react";
import { formatSize } from "@/shared/lib/numbers";
import type { DataColumn } from "@/shared/table/data-table";
import { Icon } from "@/shared/theme/Icon";
import { FileName } from "@/shared/ui/FileName";
import { TimeText } from "@/shared/ui/TimeText";
import { parentOf, shownName } from "../disk-paths";
import { iconOfName } from "../kinds";
import type { TrashItem } from "./api";
import styles from "./TrashView.module.css";

function TrashName({ item }: { item: TrashItem }) {
  const name = shownName(item.name);
  return (
    <span className={styles.name}>
      <Icon name={item.isDir ? "folder" : iconOfName(item.name)} /> <FileName name={name} />
    </span>
  );
}

const day = 24 * 60 * 60 * 1000;

/** The time until it is deleted permanently. */
function leftText(expires: string): string {
  const left = Date.parse(expires) - Date.now();
  return left >= day ? `还有 ${Math.floor(left / day)} 天` : "不到 1 天";
}

export const trashColumns: readonly DataColumn<TrashItem>[] = [
  { key: "name", title: "名称", always: true, render: (item) => <TrashName item={item} /> },
  {
    key: "path",
    title: "原来的位置",
    render: ({ path }) => (
      <span className={styles.path} title={path}>
        {shownName(parentOf(path))}
      </span>
    ),
  },
  { key: "size", title: "大小", align: "right", render: ({ size }) => formatSize(size) },
  { key: "deleted", title: "删除时间", render: ({ deleted }) => <TimeText time={deleted} /> },
  { key: "deletedBy", title: "删除人", wide: true, render: ({ deletedBy }) => deletedBy },
  { key: "expires", title: "自动清除", render: ({ expires }) => leftText(expires) },
];

export function TrashCard({ item, actions }: { item: TrashItem; actions: ReactNode }) {
  return (
    <div>
      <div className={styles.cardHead}>
        <TrashName item={item} />
        {actions}
      </div>
      <div className={styles.facts}>
        {formatSize(item.size)} · <TimeText time={item.deleted} /> 删除 · {leftText(item.expires)}
      </div>
      <div className={styles.facts}>{shownName(parentOf(item.path))}</div>
    </div>
  );
}
