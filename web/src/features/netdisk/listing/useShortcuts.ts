// The keys of the file browser that work wherever the focus is, but for fields and whatever lies over the page.
import { useEffect, useEffectEvent } from "react";

export interface Shortcuts {
  onSelectAll: () => void;
  onClear: () => void;
  onRename: () => void;
  onDelete: () => void;
}

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(textarea|select)$/i.test(target.tagName) || isTextInput(target));

/** A checkbox is an input too, but nobody types into it. */
const isTextInput = (element: HTMLElement) =>
  element instanceof HTMLInputElement && element.type !== "checkbox" && element.type !== "radio";

const isInPopup = (target: EventTarget | null) =>
  target instanceof Element && target.closest('[role="dialog"], [role="menu"]') !== null;

function actionOf(event: KeyboardEvent, shortcuts: Shortcuts): (() => void) | null {
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey)
    return event.key.toLowerCase() === "a" ? shortcuts.onSelectAll : null;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return null;
  if (event.key === "Escape") return shortcuts.onClear;
  if (event.key === "F2") return shortcuts.onRename;
  if (event.key === "Delete") return shortcuts.onDelete;
  return null;
}

export function useShortcuts(shortcuts: Shortcuts, enabled: boolean) {
  const listen = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || isField(event.target) || isInPopup(event.target)) return;
    const action = actionOf(event, shortcuts);
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
