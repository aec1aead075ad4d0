// The choices of the disk's settings in words.
import type { DiskUser } from "../account/api";
import type { Sorting, SortKey } from "../api";

export const viewOptions = [
  { value: "list", label: "列表" },
  { value: "mosaic", label: "平铺" },
] as const;

type ViewMode = DiskUser["viewMode"];

/** File Browser's pages have one more mode, which is shown as tiles here. A list until the user is loaded. */
export const shownView = (mode: ViewMode = "list"): "list" | "mosaic" =>
  mode === "list" ? "list" : "mosaic";

export const themeOptions = [
  { value: "light", label: "浅色" },
  { value: "dark", label: "深色" },
] as const;

/** For users who have not chosen. */
export const brandThemeOptions = [{ value: "", label: "跟随浏览器" }, ...themeOptions] as const;

const sortKeys: readonly { key: SortKey; label: string; up: string; down: string }[] = [
  { key: "name", label: "名称", up: "A 到 Z", down: "Z 到 A" },
  { key: "size", label: "大小", up: "从小到大", down: "从大到小" },
  { key: "modified", label: "修改时间", up: "从旧到新", down: "从新到旧" },
];

export const orderOptions = sortKeys.flatMap(({ key, label, up, down }) => [
  { value: `${key} asc`, label: `${label}，${up}` },
  { value: `${key} desc`, label: `${label}，${down}` },
]);

export const orderOf = ({ by, asc }: Sorting) => `${by} ${asc ? "asc" : "desc"}`;

export function sortingOf(order: string): Sorting {
  const [name, direction] = order.split(" ");
  const known = sortKeys.find(({ key }) => key === name);
  return { by: known?.key ?? "name", asc: direction !== "desc" };
}

export const permissions = [
  { value: "create", label: "新建和上传" },
  { value: "rename", label: "重命名和移动" },
  { value: "modify", label: "修改内容" },
  { value: "delete", label: "删除" },
  { value: "download", label: "下载" },
  { value: "share", label: "分享" },
  { value: "execute", label: "执行命令" },
  { value: "admin", label: "管理网盘" },
] as const;
