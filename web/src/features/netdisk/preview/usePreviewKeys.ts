// The keys of a file that is looked at.
import { useEffect, useEffectEvent } from "react";

export interface PreviewKeys {
  next: () => void;
  previous: () => void;
  back: () => void;
  download: () => void;
  rename: () => void;
  remove: () => void;
  /** Past the recycle bin. */
  purge: () => void;
}

/** Buttons handle Enter themselves, players and what scrolls their arrows; fields and overlays handle every key. */
export function isTaken(event: KeyboardEvent): boolean {
  const { target, key } = event;
  if (!(target instanceof Element)) return false;
  if (target.closest('[role="dialog"], [role="menu"], input, textarea, select, [contenteditable]'))
    return true;
  if (key === "Enter") return target.closest("button, a, summary") !== null;
  return key.startsWith("Arrow") && target.closest("audio, video, [data-scrolls]") !== null;
}

function actionOf(event: KeyboardEvent, keys: PreviewKeys): (() => void) | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  if ((ctrlKey || metaKey) && !altKey && !shiftKey) return key.toLowerCase() === "s" ? keys.download : null;
  if (ctrlKey || metaKey || altKey) return null;
  if (shiftKey) return key === "Delete" ? keys.purge : null;
  const plain: Record<string, () => void> = {
    ArrowRight: keys.next,
    Enter: keys.next,
    ArrowLeft: keys.previous,
    Escape: keys.back,
    F2: keys.rename,
    Delete: keys.remove,
  };
  return plain[key] ?? null;
}

export function usePreviewKeys(keys: PreviewKeys, enabled: boolean) {
  const listen = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || isTaken(event)) return;
    const action = actionOf(event, keys);
    if (!action) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    if (!enabled) return;
    const onKey = (event: KeyboardEvent) => listen(event);
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [enabled]);
}
