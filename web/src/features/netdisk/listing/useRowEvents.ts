// The rows' handlers as a stable object, so that a row is only rendered again when its own data changes.
import { useLayoutEffect, useRef, useState } from "react";
import type { RowEvents } from "./FileRow";

export function useRowEvents(events: RowEvents): RowEvents {
  const latest = useRef(events);
  useLayoutEffect(() => {
    latest.current = events;
  });
  const [stable] = useState<RowEvents>(() => ({
    onClick: (item, event) => latest.current.onClick(item, event),
    onDoubleClick: (item) => latest.current.onDoubleClick(item),
    onToggle: (item) => latest.current.onToggle(item),
    onMenu: (item, button) => latest.current.onMenu(item, button),
    onContext: (item, event) => latest.current.onContext(item, event),
    draggedOf: (item) => latest.current.draggedOf(item),
    onDropOn: (folder, moved) => latest.current.onDropOn(folder, moved),
  }));
  return stable;
}
