// The overlay of the page: exactly one, or none. The names are the specification's.
import { create } from "zustand";
import type { Item } from "./api";
import type { Answer, Moved, Verb } from "./operations/relocate";
import type { ShareLink } from "./shares/api";

export type Overlay =
  | { name: "none" }
  | { name: "sidebar" }
  | { name: "newDir" }
  | { name: "newFile" }
  | { name: "help" }
  | { name: "download"; items: readonly Item[] }
  | { name: "compress"; items: readonly Item[] }
  | { name: "info"; items: readonly Item[] }
  | { name: "copy"; items: readonly Item[] }
  | { name: "move"; items: readonly Item[] }
  | { name: "replace-rename"; question: NameQuestion; onAnswer: (answer: Answer) => void }
  | { name: "upload" }
  | { name: "rename"; item: Item }
  | { name: "share"; item: Item }
  | { name: "share-delete"; item: Item; link: ShareLink }
  | { name: "delete"; items: readonly Item[]; permanent?: boolean };

/** Something of this name lies where a copied or moved entry is to go. */
export interface NameQuestion {
  verb: Verb;
  item: Moved;
  to: string;
  several: boolean;
}

export const useOverlay = create<{ overlay: Overlay }>()(() => ({ overlay: { name: "none" } }));

/** A pending question must get an answer, whatever overlay replaces it. */
function put(overlay: Overlay) {
  const before = useOverlay.getState().overlay;
  useOverlay.setState({ overlay });
  if (before.name === "replace-rename" && before !== overlay) before.onAnswer(null);
}

export const openOverlay = (overlay: Overlay) => put(overlay);

export const closeOverlay = () => put({ name: "none" });

/**
 * The question about a file of the same name opens by itself; it waits until no other overlay is open. A search, whose
 * words are in the URL, is below all others.
 */
export function overlayShown(
  overlay: Overlay,
  conflicts: number,
  words: string | null = null,
): Overlay["name"] | "replace" | "search" {
  if (overlay.name !== "none") return overlay.name;
  if (conflicts > 0) return "replace";
  return words === null ? "none" : "search";
}
