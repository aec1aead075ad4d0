// What a key means to the entry that is active, or which other one it leads to.
import type { KeyboardEvent } from "react";

/** A key that means something to the row that is active, or leads to another. */
export type ListKey =
  | { kind: "walk"; to: number; extend: boolean; keep: boolean }
  | { kind: "toggle" }
  | { kind: "open" };

/** Where a key leads from the active row. */
function targetOf(key: string, active: number, last: number, page: number): number | null {
  if (key === "ArrowDown") return Math.min(last, active + 1);
  if (key === "ArrowUp") return Math.max(0, active - 1);
  if (key === "PageDown") return Math.min(last, Math.max(0, active) + page);
  if (key === "PageUp") return Math.max(0, active - page);
  if (key === "Home") return 0;
  if (key === "End") return last;
  return null;
}

export function keyOf(event: KeyboardEvent, active: number, last: number, page: number): ListKey | null {
  const { key, shiftKey, ctrlKey, metaKey } = event;
  const to = targetOf(key, active, last, page);
  if (to !== null) return last < 0 ? null : { kind: "walk", to, extend: shiftKey, keep: ctrlKey || metaKey };
  if (active < 0) return null;
  if (key === " ") return { kind: "toggle" };
  return key === "Enter" ? { kind: "open" } : null;
}
