// The keys of the file browser that work wherever the focus is, except in fields and overlays.
import { useEffect, useEffectEvent } from "react";

/** Handlers return nothing; a disabled action shows its reason itself. */
export interface Shortcuts {
  selectAll: () => void;
  clear: () => void;
  rename: () => void;
  remove: () => void;
  /** Past the recycle bin. */
  purge: () => void;
  download: () => void;
  copy: () => void;
  cut: () => void;
  paste: () => void;
}

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(textarea|select)$/i.test(target.tagName) || isTextInput(target));

/** A checkbox is an input too, but takes no text. */
const isTextInput = (element: HTMLElement) =>
  element instanceof HTMLInputElement && element.type !== "checkbox" && element.type !== "radio";

const isInPopup = (target: EventTarget | null) =>
  target instanceof Element && target.closest('[role="dialog"], [role="menu"]') !== null;

const withControl: Record<string, keyof Shortcuts> = {
  a: "selectAll",
  s: "download",
  c: "copy",
  x: "cut",
  v: "paste",
};

const alone: Record<string, keyof Shortcuts> = {
  Escape: "clear",
  F2: "rename",
  Delete: "remove",
};

function actionOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): keyof Shortcuts | undefined {
  if (key === "Delete" && shiftKey && !ctrlKey && !metaKey && !altKey) return "purge";
  if (altKey || shiftKey) return undefined;
  return ctrlKey || metaKey ? withControl[key.toLowerCase()] : alone[key];
}

/** With a text selection, the user wants that copied. */
const hasMarkedText = () => (getSelection()?.toString() ?? "") !== "";

export function useShortcuts(shortcuts: Shortcuts, enabled: boolean) {
  const listen = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || isField(event.target) || isInPopup(event.target)) return;
    const action = actionOf(event);
    if (!action || (action === "copy" && hasMarkedText())) return;
    event.preventDefault();
    shortcuts[action]();
  });
  useEffect(() => {
    if (!enabled) return;
    const onKey = (event: KeyboardEvent) => listen(event);
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [enabled]);
}
