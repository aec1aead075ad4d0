// The selected entries of a folder, by name, and the effects of clicks, keys and touches on the selection. Pure.
import type { Item } from "../api";

export interface Selection {
  /** The selected names, or with `inverted` the unselected ones. */
  names: ReadonlySet<string>;
  /** All was selected before everything was loaded. */
  inverted: boolean;
  /** The beginning of a range: the last entry touched without Shift. */
  anchor: string | null;
  /** Where the keyboard is. */
  active: string | null;
}

export const nothing: Selection = { names: new Set(), inverted: false, anchor: null, active: null };

/** Nothing is selected, but the keyboard is somewhere. */
export const nothingAt = (name: string | null): Selection => ({ ...nothing, anchor: name, active: name });

export type SelectionEvent =
  /** A plain click; deselects an entry that is already selected. */
  | { kind: "pick"; name: string }
  /** Ctrl, Meta, Space or the checkbox. */
  | { kind: "toggle"; name: string }
  /** Shift: from the anchor to here, in the order shown. */
  | { kind: "range"; name: string; order: readonly string[] }
  | { kind: "only"; name: string }
  /** Moves the keyboard's position without selecting. */
  | { kind: "walk"; name: string }
  | { kind: "all" }
  /** Everything is loaded: from now on these are selected, and not entries that others add. */
  | { kind: "settle"; order: readonly string[] }
  | { kind: "clear" };

/** An entry whose name cannot be sent to the server is only selected on its own. */
export function isSelected({ names, inverted }: Selection, { name, invalidName }: Item): boolean {
  return inverted ? !invalidName && !names.has(name) : names.has(name);
}

/** The number of selected entries. */
export const countOf = ({ names, inverted }: Selection, total: number) =>
  inverted ? total - names.size : names.size;

function between(order: readonly string[], from: string, to: string): string[] {
  const [a, b] = [order.indexOf(from), order.indexOf(to)];
  if (a < 0 || b < 0) return [to];
  return order.slice(Math.min(a, b), Math.max(a, b) + 1);
}

function toggled(names: ReadonlySet<string>, name: string): Set<string> {
  const next = new Set(names);
  if (!next.delete(name)) next.add(name);
  return next;
}

export function select(selection: Selection, event: SelectionEvent): Selection {
  switch (event.kind) {
    case "pick": {
      const { name } = event;
      const again = selection.names.has(name) !== selection.inverted;
      return select(selection, { kind: again ? "toggle" : "only", name });
    }
    case "toggle":
      return {
        ...selection,
        names: toggled(selection.names, event.name),
        anchor: event.name,
        active: event.name,
      };
    case "range": {
      const anchor = selection.anchor ?? event.order[0] ?? event.name;
      return {
        names: new Set(between(event.order, anchor, event.name)),
        inverted: false,
        anchor,
        active: event.name,
      };
    }
    case "only":
      return { names: new Set([event.name]), inverted: false, anchor: event.name, active: event.name };
    case "walk":
      return { ...selection, active: event.name };
    case "all":
      return { ...selection, names: new Set(), inverted: true };
    case "settle": {
      const { names, inverted } = selection;
      if (!inverted) return selection;
      return {
        ...selection,
        names: new Set(event.order.filter((name) => !names.has(name))),
        inverted: false,
      };
    }
    case "clear":
      return { ...nothing, active: selection.active };
  }
}

/** Two touches of one entry within this time open it. */
export const doubleTouchMs = 300;

export interface Touch {
  name: string;
  at: number;
}

export function isDoubleTouch(last: Touch | null, name: string, at: number): boolean {
  return last !== null && last.name === name && at - last.at <= doubleTouchMs;
}
