// Allowed actions and reasons why others are not: one table for the toolbar, the selection bar, the rows' menus and the
// keys.
import { formatCount } from "@/shared/lib/numbers";
import type { RowAction } from "@/shared/table/RowActions";
import type { DiskUser } from "./account/api";
import type { Item } from "./api";
import { diskRoot, namesOf } from "./disk-paths";
import { isFixedFolder } from "./places";

export interface Permit {
  /** Not even shown: the specification's rule for ordinary users in the disk root. */
  hidden: boolean;
  /** Why it is disabled. */
  reason: string | undefined;
}

const allowed: Permit = { hidden: false, reason: undefined };
const because = (reason: string): Permit => ({ hidden: false, reason });

export type Permissions = DiskUser["perm"];

/** The user of the disk. Until the permissions are loaded, all are assumed: the disk itself refuses. */
export interface Viewer {
  /** Of the platform: the disk's root is theirs. */
  admin: boolean;
  perm: Permissions;
  /** The names of their own datasets, in which they write. */
  datasets?: readonly string[] | undefined;
}

export const everything: Permissions = {
  admin: true,
  create: true,
  delete: true,
  download: true,
  execute: true,
  modify: true,
  rename: true,
  share: true,
};

const missing: Partial<Record<keyof Permissions, string>> = {
  create: "没有新建和上传的权限",
  delete: "没有删除的权限",
  download: "没有下载的权限",
  execute: "没有执行命令的权限",
  modify: "没有修改的权限",
  rename: "没有重命名和移动的权限",
  share: "没有分享的权限",
};

/** The missing permission, of those that are needed. */
export function lacking({ perm }: Viewer, ...needed: (keyof Permissions)[]): string | undefined {
  const what = needed.find((right) => !perm[right]);
  return what && (missing[what] ?? "没有权限");
}

/** The folder of a dataset's version, which is read-only. */
const isVersion = (name: string) => /@v[1-9]\d*$/.test(name);

/** What a folder itself allows, for any user. */
function placeAllows(folder: string, { admin, datasets = [] }: Viewer): Permit {
  const [place, name = ""] = namesOf(folder);
  if (place === "datasets" && isVersion(name)) return because("数据集的版本只读");
  if (admin) return allowed;
  if (folder === diskRoot) return { hidden: true, reason: "请先进入一个文件夹" };
  if (place === "datasets" && !datasets.includes(name)) return because("数据集只读");
  if (folder === "/groups/") return because("请先进入一个组的文件夹");
  return allowed;
}

export type Change = "create" | "rename" | "delete" | "modify";

/** Making and uploading, renaming and moving, deleting, or replacing content in this folder. */
export function mayChange(folder: string, viewer: Viewer, what: Change = "create"): Permit {
  const place = placeAllows(folder, viewer);
  return { ...place, reason: place.reason ?? lacking(viewer, what) };
}

/** The command panel, where the disk has one. Commands' output is content of files. */
export function mayRun(exec: boolean, viewer: Viewer): Permit {
  if (!exec) return { hidden: true, reason: "没有开启命令行" };
  return { hidden: false, reason: lacking(viewer, "execute", "download") };
}

export interface Permits {
  download: Permit;
  share: Permit;
  copy: Permit;
  move: Permit;
  rename: Permit;
  compress: Permit;
  remove: Permit;
}

/** For the selection in a folder; at least one item. With `dirty` there are unsaved changes. */
export function permitsFor(items: readonly Item[], folder: string, viewer: Viewer, dirty = false): Permits {
  const place = placeAllows(folder, viewer);
  if (items.some((item) => item.invalidName)) {
    const unnamed = because("名称不是 UTF-8 编码，不能单独操作");
    const closed = { ...place, ...unnamed };
    return {
      download: unnamed,
      share: unnamed,
      copy: closed,
      move: closed,
      rename: closed,
      compress: closed,
      remove: closed,
    };
  }
  const hasFixed = folder === diskRoot && items.some((item) => isFixedFolder(item.path));
  const fixed = hasFixed ? "这是网盘自带的文件夹" : undefined;
  const changed = (what: Change, reason?: string): Permit => {
    const permit = mayChange(folder, viewer, what);
    return { ...permit, reason: permit.reason ?? fixed ?? reason };
  };
  const unread = lacking(viewer, "download");
  // The action would leave the page, and the question about the changes would come too late.
  const unsaved = dirty ? "先保存修改" : undefined;
  return {
    download: { hidden: false, reason: unread },
    share: mayShare(items, viewer),
    // Copying changes nothing here; the destination is checked there.
    copy: { hidden: place.hidden, reason: lacking(viewer, "create") ?? fixed },
    move: changed("rename"),
    rename: changed("rename", items.length > 1 ? "只能对一项重命名" : unsaved),
    // The archive needs the permission to read its content, and is created beside it.
    compress: changed("create", unread),
    remove: changed("delete", unsaved),
  };
}

/** Visitors of a link get content, so its creator must have that permission. */
function mayShare(items: readonly Item[], viewer: Viewer): Permit {
  const closed = lacking(viewer, "share", "download");
  if (closed) return because(closed);
  if (items.length > 1) return because("只能分享一项");
  return items[0]?.type === "invalid_link" ? because("失效的链接不能分享") : allowed;
}

export type RowHandlers = Record<"open" | "info" | "extract" | keyof Permits, () => void>;

/** Archives that the storage host can extract. */
const unpackable = /\.(zip|tar|tar\.(gz|bz2|xz|lz4|sz|zst)|tgz|tbz2|txz)$/i;

export const isUnpackable = ({ isDir, name }: Item) => !isDir && unpackable.test(name);

/** The folder for an archive's content has its name without the extension. */
export const unpackedName = (name: string) => name.replace(unpackable, "") || name;

/** Makes the entries of a menu; hidden ones are left out. */
const entriesFor =
  <Key extends string>(on: Record<Key, () => void>) =>
  (key: Key, label: string, { hidden, reason }: Permit): RowAction[] =>
    hidden ? [] : [{ key, label, disabledReason: reason, onClick: on[key], danger: key === "remove" }];

/** The menu of the ground beside the entries. `clipboard`: why nothing can be put here. */
export function folderActions(
  change: Permit,
  clipboard: { count: number; permit: Permit } | null,
  on: Record<"newFolder" | "newFile" | "upload" | "paste" | "selectAll" | "refresh", () => void>,
): RowAction[] {
  const action = entriesFor(on);
  return [
    ...action("upload", "上传", change),
    ...action("newFolder", "新建文件夹", change),
    ...action("newFile", "新建文件", change),
    ...(clipboard ? action("paste", `粘贴 ${formatCount(clipboard.count)} 项`, clipboard.permit) : []),
    ...action("selectAll", "全选", allowed),
    ...action("refresh", "刷新", allowed),
  ];
}

/** The menu of several selected entries. */
export function chosenActions(
  permits: Permits,
  on: Record<"download" | "copy" | "move" | "compress" | "info" | "remove", () => void>,
): RowAction[] {
  const action = entriesFor(on);
  return [
    ...action("download", "下载", permits.download),
    ...action("copy", "复制到", permits.copy),
    ...action("move", "移动到", permits.move),
    ...action("compress", "压缩", permits.compress),
    ...action("info", "信息", allowed),
    ...action("remove", "删除", permits.remove),
  ];
}

/** The menu of one row. */
export function rowActions(item: Item, permits: Permits, extract: Permit, on: RowHandlers): RowAction[] {
  const action = entriesFor(on);
  return [
    ...action("open", "打开", allowed),
    ...action("download", "下载", permits.download),
    ...action("share", "分享", permits.share),
    ...action("copy", "复制到", permits.copy),
    ...action("move", "移动到", permits.move),
    ...action("rename", "重命名", permits.rename),
    ...action("compress", "压缩", permits.compress),
    ...(isUnpackable(item) ? action("extract", "解压到这里", extract) : []),
    ...action("info", "信息", allowed),
    ...action("remove", "删除", permits.remove),
  ];
}
