// What lies over the page: exactly one thing, or nothing. The names are the specification's.
import { create } from "zustand";
import type { Item } from "./api";

export type Overlay =
  | { name: "none" }
  | { name: "sidebar" }
  | { name: "newDir" }
  | { name: "upload" }
  | { name: "rename"; item: Item }
  | { name: "delete"; items: readonly Item[] };

export const useOverlay = create<{ overlay: Overlay }>()(() => ({ overlay: { name: "none" } }));

export const openOverlay = (overlay: Overlay) => useOverlay.setState({ overlay });

export const closeOverlay = () => useOverlay.setState({ overlay: { name: "none" } });

/** The question about a file of the same name comes up by itself; it waits until nothing else is open. */
export function overlayShown(overlay: Overlay, conflicts: number): Overlay["name"] | "replace" {
  return overlay.name === "none" && conflicts > 0 ? "replace" : overlay.name;
}
