// The effect of a key on the active entry, or the entry that it moves to.
import type { KeyboardEvent } from "react";

export interface Walking {
  /** Selects all on the way. */
  extend: boolean;
  /** Leaves the selection unchanged. */
  keep: boolean;
}

/** A key that means something to the row that is active, or leads to another. */
export type ListKey =
  | ({ kind: "walk"; to: number } & Walking)
  /** To the last entry of the folder, shown already or not. */
  | ({ kind: "end" } & Walking)
  | { kind: "toggle" }
  | { kind: "menu" }
  | { kind: "open" };

/** Where a key leads from the active row. */
function targetOf(key: string, active: number, last: number, page: number): number | null {
  if (key === "ArrowDown") return Math.min(last, active + 1);
  if (key === "ArrowUp") return Math.max(0, active - 1);
  if (key === "PageDown") return Math.min(last, Math.max(0, active) + page);
  if (key === "PageUp") return Math.max(0, active - page);
  return key === "Home" ? 0 : null;
}

/** `last` is the index of the last shown row; -1 when there is none. */
export function keyOf(event: KeyboardEvent, active: number, last: number, page: number): ListKey | null {
  const { key, shiftKey, ctrlKey, metaKey } = event;
  if (last < 0) return null;
  const walking: Walking = { extend: shiftKey, keep: ctrlKey || metaKey };
  const to = targetOf(key, active, last, page);
  if (to !== null) return { kind: "walk", to, ...walking };
  if (key === "End") return { kind: "end", ...walking };
  if (active < 0) return null;
  if (key === " ") return { kind: "toggle" };
  if (key === "ContextMenu" || (key === "F10" && shiftKey)) return { kind: "menu" };
  return key === "Enter" ? { kind: "open" } : null;
}
