// The keys of the search over everything, wherever the focus is.

/** Macs have ⌘ in the place of Ctrl. */
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export const findKeys = isMac ? "⌘ K" : "Ctrl K";

export type FindKey = "palette" | "search" | "keys";

/** A shell and an editor have keys of their own. */
const isElsewhere = (target: Element) => target.closest('.xterm, .cm-editor, [role="dialog"]') !== null;

const isTextField = (target: Element) =>
  (target instanceof HTMLElement && target.isContentEditable) ||
  target.matches('textarea, select, input:not([type="checkbox"], [type="radio"])');

/** What a key means; `null` where it belongs to another part of the page. */
export function findKeyOf(event: KeyboardEvent): FindKey | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey, target, defaultPrevented, isComposing } = event;
  if (defaultPrevented || isComposing || altKey) return null;
  if (target instanceof Element && isElsewhere(target)) return null;
  if ((ctrlKey || metaKey) && !shiftKey && key.toLowerCase() === "k") return "palette";
  if (ctrlKey || metaKey || (target instanceof Element && isTextField(target))) return null;
  // With a Chinese input method the keys give full-width signs.
  if (key === "/" || key === "、") return "search";
  return key === "?" || key === "？" ? "keys" : null;
}

/** The field in which the shown page is searched; its name for the browser's keyboard marks it. */
const pageField = '#main input[enterkeyhint="search"]';

/** Puts the keyboard there; `false` if the page has none. */
export function focusPageField(): boolean {
  const fields = [...document.querySelectorAll<HTMLInputElement>(pageField)];
  const field = fields.find((one) => one.checkVisibility?.() !== false && !one.disabled);
  field?.focus();
  field?.select();
  return field !== undefined;
}
