// The actions of a folder's bars, rows' menus and keys on its selection.

import { App } from "antd";
import { useMemo } from "react";
import { formatCount } from "@/shared/lib/numbers";
import { mayChange, type Permit, type Permits, permitsFor } from "../actions";
import type { Item } from "../api";
import { useDisk } from "../disk-context";
import { asMoved, keepOnClipboard, putOnClipboard, useClipboard } from "../operations/clipboard";
import type { Moved } from "../operations/relocate";
import { useRelocate } from "../operations/useRelocate";
import { openOverlay } from "../overlay";
import { useFetchFile } from "../useFetchFile";

export function useFolderActions(folder: string) {
  const { host, viewer } = useDisk();
  const { message } = App.useApp();
  const { clipboard } = useClipboard();
  const relocate = useRelocate();
  const fetchFile = useFetchFile(host);
  const change = mayChange(folder, viewer);
  const mayMove = mayChange(folder, viewer, "rename");
  const cut = useMemo(
    () => new Set(clipboard?.key === "x" ? clipboard.items.map(({ from }) => from) : []),
    [clipboard],
  );

  /** A key for a disabled action shows the reason. */
  function unless({ hidden, reason }: Permit, action: () => void) {
    if (reason !== undefined) message.info(reason, 1);
    else if (!hidden) action();
  }

  async function paste() {
    if (!clipboard) return;
    const { key, items, path } = clipboard;
    const same = path === folder;
    if (key === "x" && same) {
      message.info("已经在这个文件夹里", 1);
      return;
    }
    const verb = key === "c" ? "copy" : "rename";
    const vanished = new Set<Moved>();
    const left = await relocate({ verb, items, to: folder, rename: key === "c" && same }, (gone) => {
      for (const item of gone) vanished.add(item);
      return "，已从剪贴板移除";
    });
    // Moved and vanished entries leave the clipboard; the others stay for another try.
    keepOnClipboard(clipboard, key === "x" ? left : items.filter((item) => !vanished.has(item)));
  }

  const actions = (
    items: readonly Item[],
  ): Record<keyof Permits | "info" | "purge", () => void> & { permits: Permits } => {
    const permits = permitsFor(items, folder, viewer);
    const [first] = items;
    const fetchOrAsk = (only: Item) =>
      items.length > 1 || only.isDir ? openOverlay({ name: "download", items }) : fetchFile(only.path);
    return {
      permits,
      download: () => first && unless(permits.download, () => fetchOrAsk(first)),
      share: () => first && unless(permits.share, () => openOverlay({ name: "share", item: first })),
      copy: () => unless(permits.copy, () => openOverlay({ name: "copy", items })),
      move: () => unless(permits.move, () => openOverlay({ name: "move", items })),
      rename: () => first && unless(permits.rename, () => openOverlay({ name: "rename", item: first })),
      compress: () => unless(permits.compress, () => openOverlay({ name: "compress", items })),
      remove: () => unless(permits.remove, () => openOverlay({ name: "delete", items })),
      purge: () => unless(permits.remove, () => openOverlay({ name: "delete", items, permanent: true })),
      info: () => openOverlay({ name: "info", items }),
    };
  };

  return {
    change,
    clipboard: clipboard && { count: clipboard.items.length, permit: change },
    /** Entries that were cut and wait to be pasted. */
    isCut: (item: Item) => cut.has(asMoved(item).from),
    paste: () => unless(change, () => void paste()),
    put(key: "c" | "x", items: readonly Item[]) {
      const permits = permitsFor(items, folder, viewer);
      unless(key === "c" ? permits.copy : permits.move, () => {
        putOnClipboard(key, items, folder);
        message.info(
          `已${key === "c" ? "复制" : "剪切"} ${formatCount(items.length)} 项，到目标文件夹粘贴`,
          1,
        );
      });
    },
    dropOn: (items: readonly Moved[], to: string) => void relocate({ verb: "rename", items, to }),
    /** Whether entries may be dragged. */
    mayDrag: mayMove.reason === undefined && !mayMove.hidden,
    draggedOf: (item: Item, chosen: readonly Item[]) =>
      (chosen.some(({ path }) => path === item.path) ? chosen : [item]).map(asMoved),
    of: actions,
  };
}
