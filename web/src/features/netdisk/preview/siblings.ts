// The previous and next previewable file in a folder. Pure.
import type { Item } from "../api";

const previewable: readonly Item["type"][] = ["image", "video", "audio", "blob"];

export const isPreviewable = ({ isDir, type }: Item) => !isDir && previewable.includes(type);

export interface Siblings {
  previous: Item | undefined;
  next: Item | undefined;
  /** Its position among them, from 1; 0 when it is not one of them. */
  at: number;
  count: number;
}

/** `name` need not be previewable itself: then the search begins at its position in the folder. */
export function siblingsOf(items: readonly Item[], name: string): Siblings {
  const here = items.findIndex((item) => item.name === name);
  const before = items.slice(0, Math.max(0, here)).filter(isPreviewable);
  const after = here < 0 ? [] : items.slice(here + 1).filter(isPreviewable);
  const self = items[here];
  const isOne = self !== undefined && isPreviewable(self);
  return {
    previous: before.at(-1),
    next: after[0],
    at: isOne ? before.length + 1 : 0,
    count: before.length + after.length + (isOne ? 1 : 0),
  };
}

/** Where to go after the file is deleted: the next, otherwise the previous, otherwise nowhere. */
export const afterDelete = ({ next, previous }: Siblings) => next ?? previous;
