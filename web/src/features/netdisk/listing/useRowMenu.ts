// Which menu is open over a listing, and where: of one entry, of the selection, or of the folder itself.
import { type MouseEvent, type RefObject, useState } from "react";
import type { RowAction } from "@/shared/table/RowActions";
import type { Item } from "../api";
import { type MenuPlace, placeBelow } from "./RowMenu";
import { isTouch } from "./touch";

interface RowMenuInput {
  /** The grid, which gets the focus back. */
  grid: RefObject<HTMLElement | null>;
  actionsFor: (item: Item) => RowAction[];
  /** What can be done in the folder. */
  folderActions: () => RowAction[];
  /** A long press of a finger. */
  onHold: (item: Item) => void;
}

export function useRowMenu({ grid, actionsFor, folderActions, onHold }: RowMenuInput) {
  const [menu, setMenu] = useState<{ item: Item | null; place: MenuPlace } | null>(null);
  const at = ({ clientX, clientY }: MouseEvent): MenuPlace => ({
    x: clientX,
    y: clientY,
    placement: "bottomLeft",
  });
  return {
    menu: menu && {
      place: menu.place,
      actions: menu.item ? actionsFor(menu.item) : folderActions(),
    },
    openMenu: (item: Item, button: HTMLElement) => setMenu({ item, place: placeBelow(button) }),
    onContext(item: Item, event: MouseEvent) {
      event.preventDefault();
      event.stopPropagation();
      if (isTouch(event)) onHold(item);
      else setMenu({ item, place: at(event) });
    },
    /** On the ground beside the entries. A key makes this event too, on the grid: that has its own place. */
    onGround(event: MouseEvent) {
      event.preventDefault();
      if (!isTouch(event) && event.target !== grid.current) setMenu({ item: null, place: at(event) });
    },
    closeMenu() {
      setMenu(null);
      grid.current?.focus({ preventScroll: true });
    },
  };
}
