// The rows of the mosaic: folders under one heading, files under another, as many per row as fit. Pure.
import type { Item } from "../api";

export type MosaicRow =
  | { kind: "head"; text: string }
  /** `first` is the place of its first card among all entries. */
  | { kind: "folders" | "files"; first: number; items: readonly Item[] };

/** `items` has the folders first. */
export function mosaicRows(
  items: readonly Item[],
  columns: number,
  counts: { folders: number; files: number },
): MosaicRow[] {
  const split = items.findIndex((item) => !item.isDir);
  const folders = split < 0 ? items.length : split;
  const rows: MosaicRow[] = [];
  const add = (kind: "folders" | "files", from: number, to: number, text: string) => {
    if (from < to) rows.push({ kind: "head", text });
    for (let first = from; first < to; first += columns)
      rows.push({ kind, first, items: items.slice(first, Math.min(to, first + columns)) });
  };
  add("folders", 0, folders, `文件夹 ${counts.folders}`);
  add("files", folders, items.length, `文件 ${counts.files}`);
  return rows;
}

/** The row of a card; -1 for none. */
export const rowOf = (rows: readonly MosaicRow[], index: number) =>
  rows.findIndex((row) => row.kind !== "head" && index >= row.first && index < row.first + row.items.length);

/** The card above or below, in the same column or the last of its row. */
export function cardAcross(rows: readonly MosaicRow[], index: number, step: 1 | -1): number {
  const at = rowOf(rows, index);
  const here = rows[at];
  if (!here || here.kind === "head") return Math.max(0, index);
  const column = index - here.first;
  for (let next = at + step; next >= 0 && next < rows.length; next += step) {
    const row = rows[next];
    if (row && row.kind !== "head") return row.first + Math.min(column, row.items.length - 1);
  }
  return index;
}
