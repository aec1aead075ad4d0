// What clicks, touches and keys do to the entries of a listing: select, walk, open.
import { type Dispatch, type MouseEvent, useRef } from "react";
import type { Item } from "../api";
import type { ListKey } from "./list-keys";
import { isDoubleTouch, type Selection, type SelectionEvent, type Touch } from "./selection";

interface ItemEventsInput {
  items: readonly Item[];
  selection: Selection;
  dispatch: Dispatch<SelectionEvent>;
  /** Every click adds or takes away. */
  multiple: boolean;
  /** One click opens. */
  singleClick: boolean;
  onOpen: (item: Item) => void;
}

const isTouch = ({ nativeEvent }: MouseEvent) =>
  nativeEvent instanceof PointerEvent && nativeEvent.pointerType === "touch";

export function useItemEvents({
  items,
  selection,
  dispatch,
  multiple,
  singleClick,
  onOpen,
}: ItemEventsInput) {
  const lastTouch = useRef<Touch | null>(null);
  /** Browsers make a double click of two touches too; that one has been dealt with. */
  const touched = useRef(false);
  const order = () => items.map((item) => item.name);

  function click(item: Item, event: MouseEvent) {
    const { name } = item;
    touched.current = isTouch(event);
    if (touched.current) {
      const double = isDoubleTouch(lastTouch.current, name, event.timeStamp);
      lastTouch.current = double ? null : { name, at: event.timeStamp };
      if (double) {
        onOpen(item);
        return;
      }
    }
    if (singleClick && !multiple && !event.shiftKey && !event.ctrlKey && !event.metaKey) {
      onOpen(item);
      return;
    }
    if (event.shiftKey) dispatch({ kind: "range", name, order: order() });
    else dispatch({ kind: multiple || event.ctrlKey || event.metaKey ? "toggle" : "pick", name });
  }

  function doubleClick(item: Item) {
    if (!touched.current && !singleClick) onOpen(item);
  }

  function walk({ to, extend, keep }: Extract<ListKey, { kind: "walk" }>) {
    const name = items[to]?.name;
    if (name === undefined) return;
    if (extend) dispatch({ kind: "range", name, order: order() });
    else dispatch({ kind: keep ? "walk" : "only", name });
  }

  function press(key: ListKey) {
    if (key.kind === "walk") {
      walk(key);
      return;
    }
    const active = items.find((item) => item.name === selection.active);
    if (!active) return;
    if (key.kind === "toggle") dispatch({ kind: "toggle", name: active.name });
    else onOpen(active);
  }

  return { click, doubleClick, press };
}
