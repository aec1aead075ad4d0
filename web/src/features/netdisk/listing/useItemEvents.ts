// The effects of clicks, touches and keys on the entries of a listing: select, move, open.
import { type Dispatch, type MouseEvent, useRef } from "react";
import type { Item } from "../api";
import type { ListKey, Walking } from "./list-keys";
import { isDoubleTouch, type SelectionEvent, type Touch } from "./selection";
import { isTouch } from "./touch";

interface ItemEventsInput {
  items: readonly Item[];
  /** Where the keyboard is; -1 for nowhere. */
  active: number;
  dispatch: Dispatch<SelectionEvent>;
  /** Every click adds or removes. */
  multiple: boolean;
  /** Something is selected: a touch adds or removes. */
  selecting: boolean;
  /** One click opens. */
  singleClick: boolean;
  onOpen: (item: Item) => void;
  /** Shows the whole folder and returns its entries. */
  onEnd: () => Promise<readonly Item[]>;
}

const namesOf = (items: readonly Item[]) => items.map(({ name }) => name);

export function useItemEvents({
  items,
  active,
  dispatch,
  multiple,
  selecting,
  singleClick,
  onOpen,
  onEnd,
}: ItemEventsInput) {
  const lastTouch = useRef<Touch | null>(null);
  /** Browsers also make a double click of two touches, which were already handled. */
  const touched = useRef(false);

  function click(item: Item, event: MouseEvent) {
    const { name } = item;
    touched.current = isTouch(event);
    if (touched.current) {
      const double = isDoubleTouch(lastTouch.current, name, event.timeStamp);
      lastTouch.current = double ? null : { name, at: event.timeStamp };
      if (double || !(multiple || selecting)) onOpen(item);
      else dispatch({ kind: "toggle", name });
      return;
    }
    if (singleClick && !multiple && !event.shiftKey && !event.ctrlKey && !event.metaKey) {
      onOpen(item);
      return;
    }
    if (event.shiftKey) dispatch({ kind: "range", name, order: namesOf(items) });
    else dispatch({ kind: multiple || event.ctrlKey || event.metaKey ? "toggle" : "pick", name });
  }

  function doubleClick(item: Item) {
    if (!touched.current && !singleClick) onOpen(item);
  }

  function walk(among: readonly Item[], to: number, { extend, keep }: Walking) {
    const name = among[to]?.name;
    if (name === undefined) return;
    if (extend) dispatch({ kind: "range", name, order: namesOf(among) });
    else dispatch({ kind: keep ? "walk" : "only", name });
  }

  async function walkToEnd(walking: Walking) {
    const all = await onEnd();
    walk(all, all.length - 1, walking);
  }

  function press(key: Exclude<ListKey, { kind: "menu" }>) {
    const item = items[active];
    if (key.kind === "walk") walk(items, key.to, key);
    else if (key.kind === "end") void walkToEnd(key);
    else if (item && key.kind === "toggle") dispatch({ kind: "toggle", name: item.name });
    else if (item) onOpen(item);
  }

  return { click, doubleClick, press };
}
