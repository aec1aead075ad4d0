// Dragging entries of the listing onto a folder. The browser hides the dragged data until the drop, so it is kept here.
import { type DragEvent, useState } from "react";
import { isFolderPath } from "../disk-paths";
import { faultOfTarget, type Moved } from "./relocate";

/** Distinguishes our own entries from files of the desktop. */
const type = "application/x-yunlab-entries";

let dragged: readonly Moved[] = [];

export function startDrag({ dataTransfer }: DragEvent, items: readonly Moved[]) {
  dragged = items;
  dataTransfer.setData(type, String(items.length));
  dataTransfer.effectAllowed = "move";
}

export const endDrag = () => {
  dragged = [];
};

/** Only onto folders, not onto themselves, and not where they lie already. */
export function mayDrop(items: readonly Moved[], folder: string): boolean {
  const stays = items.every(({ from }) => from.slice(0, from.lastIndexOf("/") + 1) === folder);
  return items.length > 0 && isFolderPath(folder) && !stays && faultOfTarget(items, folder) === undefined;
}

export const takesDrag = ({ dataTransfer }: DragEvent, folder: string) =>
  dataTransfer.types.includes(type) && mayDrop(dragged, folder);

export const droppedItems = () => dragged;

/** Makes something a place to drop entries on. */
export function useDropTarget(folder: string, onDrop: (items: readonly Moved[]) => void) {
  const [over, setOver] = useState(false);
  return {
    over,
    on: {
      onDragOver: (event: DragEvent) => {
        if (!takesDrag(event, folder)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "move";
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!takesDrag(event, folder)) return;
        event.preventDefault();
        onDrop(droppedItems());
      },
    },
  };
}
