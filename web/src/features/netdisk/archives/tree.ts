// The entries of an archive as folders: an archive only has paths. Pure.
import type { Entry } from "./entry";

export interface Row extends Entry {
  /** The last part of the path. */
  title: string;
}

/** Parts of a path, of which none leads anywhere. */
const partsOf = (name: string) => name.split(/[/\\]/).filter((part) => part !== "" && part !== ".");

/** What lies directly in a folder of the archive: folders first, in the order of names. */
export function rowsIn(entries: readonly Entry[], folder: readonly string[]): Row[] {
  const rows = new Map<string, Row>();
  for (const entry of entries) {
    const parts = partsOf(entry.name);
    const title = parts[folder.length];
    if (title === undefined || folder.some((part, at) => parts[at] !== part)) continue;
    const inside = parts.length > folder.length + 1;
    if (!inside && !entry.isDir) {
      rows.set(`f ${title}`, { ...entry, title });
      continue;
    }
    const key = `d ${title}`;
    const known = rows.get(key);
    const size = (known?.size ?? 0) + (inside ? entry.size : 0);
    const own = inside ? known?.modified : entry.modified;
    rows.set(key, {
      name: title,
      title,
      isDir: true,
      size,
      packed: null,
      modified: own ?? null,
      encrypted: false,
    });
  }
  const order = new Intl.Collator("zh-CN", { numeric: true });
  return Array.from(rows.values()).toSorted(
    (a, b) => Number(b.isDir) - Number(a.isDir) || order.compare(a.title, b.title),
  );
}
