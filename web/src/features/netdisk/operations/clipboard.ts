// The clipboard of the file browser. It outlives the folder of its entries, and ends with the page.
import { create } from "zustand";
import { useSession } from "@/shared/stores/session";
import type { Item } from "../api";
import type { Moved } from "./relocate";

export interface Clipboard {
  /** `c` was copied, `x` was cut. */
  key: "c" | "x";
  items: readonly Moved[];
  /** The folder that they lie in. */
  path: string;
}

export const useClipboard = create<{ clipboard: Clipboard | null }>()(() => ({ clipboard: null }));

export const asMoved = ({ path, name }: Item): Moved => ({ from: path.replace(/\/$/, ""), name });

export const putOnClipboard = (key: Clipboard["key"], items: readonly Item[], path: string) =>
  useClipboard.setState({ clipboard: { key, items: items.map(asMoved), path } });

export const clearClipboard = () => useClipboard.setState({ clipboard: null });

/** Keeps only these of the pasted entries; the clipboard may have been replaced meanwhile. */
export function keepOnClipboard(pasted: Clipboard, items: readonly Moved[]) {
  if (useClipboard.getState().clipboard !== pasted) return;
  useClipboard.setState({ clipboard: items.length > 0 ? { ...pasted, items } : null });
}

/** Another user has another disk. */
useSession.subscribe(({ id }, before) => {
  if (id !== before.id) clearClipboard();
});
