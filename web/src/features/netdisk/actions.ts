// What can be done where, and why not: one table for the toolbar, the selection bar, the rows' menus and the keys.
import type { RowAction } from "@/shared/ui/RowActions";
import type { Item } from "./api";
import { diskRoot } from "./disk-paths";
import { isFixedFolder } from "./places";

export interface Permit {
  /** Not even shown: the specification's rule for ordinary users in the disk root. */
  hidden: boolean;
  /** Why it is not possible now. */
  reason: string | undefined;
}

const allowed: Permit = { hidden: false, reason: undefined };
const because = (reason: string): Permit => ({ hidden: false, reason });

/** Making, uploading, renaming and deleting in this folder. */
export function mayChange(folder: string, admin: boolean): Permit {
  if (admin) return allowed;
  if (folder === diskRoot) return { hidden: true, reason: "请先进入一个文件夹" };
  if (folder.startsWith("/datasets/")) return because("数据集只读");
  if (folder === "/groups/") return because("请先进入一个组的文件夹");
  return allowed;
}

export interface Permits {
  download: Permit;
  copy: Permit;
  move: Permit;
  rename: Permit;
  remove: Permit;
}

/** For what is selected in a folder; at least one item. */
export function permitsFor(items: readonly Item[], folder: string, admin: boolean): Permits {
  const change = mayChange(folder, admin);
  if (items.some((item) => item.invalidName)) {
    const unnamed = because("名称不是 UTF-8 编码，不能单独操作");
    const closed = { ...change, ...unnamed };
    return { download: unnamed, copy: closed, move: closed, rename: closed, remove: closed };
  }
  const hasFixed = folder === diskRoot && items.some((item) => isFixedFolder(item.path));
  const fixed = hasFixed ? "这是网盘自带的文件夹" : undefined;
  const changed = (reason: string | undefined): Permit => ({
    ...change,
    reason: change.reason ?? fixed ?? reason,
  });
  const archive = items.length > 1 || items.some((item) => item.isDir);
  return {
    download: archive ? because("打包下载尚未开放") : allowed,
    // Copying changes nothing here; where it goes is checked there.
    copy: { hidden: change.hidden, reason: fixed },
    move: changed(undefined),
    rename: changed(items.length > 1 ? "只能对一项重命名" : undefined),
    remove: changed(undefined),
  };
}

export type RowHandlers = Record<"open" | "info" | keyof Permits, () => void>;

/** The menu of one row. */
export function rowActions(permits: Permits, on: RowHandlers): RowAction[] {
  const action = (key: keyof RowHandlers, label: string, { hidden, reason }: Permit): RowAction[] =>
    hidden ? [] : [{ key, label, disabledReason: reason, onClick: on[key], danger: key === "remove" }];
  return [
    ...action("open", "打开", allowed),
    ...action("download", "下载", permits.download),
    ...action("copy", "复制到", permits.copy),
    ...action("move", "移动到", permits.move),
    ...action("rename", "重命名", permits.rename),
    ...action("info", "信息", allowed),
    ...action("remove", "删除", permits.remove),
  ];
}
