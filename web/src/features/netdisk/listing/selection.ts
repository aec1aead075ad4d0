// Which entries of a folder are selected, by name. Pure: what a click, a key or a touch makes of a selection.

export interface Selection {
  names: ReadonlySet<string>;
  /** Where a range begins: what was touched last without Shift. */
  anchor: string | null;
  /** Where the keyboard is. */
  active: string | null;
}

export const nothing: Selection = { names: new Set(), anchor: null, active: null };

export type SelectionEvent =
  /** A plain click; on what is selected already it deselects. */
  | { kind: "pick"; name: string }
  /** Ctrl, Meta, Space or the checkbox. */
  | { kind: "toggle"; name: string }
  /** Shift: from the anchor to here, in the order shown. */
  | { kind: "range"; name: string; order: readonly string[] }
  | { kind: "only"; name: string }
  /** The keyboard goes there; nothing is selected by it. */
  | { kind: "walk"; name: string }
  | { kind: "all"; order: readonly string[] }
  | { kind: "clear" };

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
      const names = selection.names.has(name) ? toggled(selection.names, name) : new Set([name]);
      return { names, anchor: name, active: name };
    }
    case "toggle":
      return { names: toggled(selection.names, event.name), anchor: event.name, active: event.name };
    case "range": {
      const anchor = selection.anchor ?? event.order[0] ?? event.name;
      return { names: new Set(between(event.order, anchor, event.name)), anchor, active: event.name };
    }
    case "only":
      return { names: new Set([event.name]), anchor: event.name, active: event.name };
    case "walk":
      return { ...selection, active: event.name };
    case "all":
      return { ...selection, names: new Set(event.order) };
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
