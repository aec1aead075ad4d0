import { useSyncExternalStore } from "react";

/**
 * The portal's breakpoints: below `layout` the menu is a drawer, below `phone` tables are cards and tags are hidden.
 */
export const media = {
  mobile: "(max-width: 991px)",
  phone: "(max-width: 767px)",
  /** The disk's header: the search and the main action are behind buttons. */
  diskHeader: "(max-width: 736px)",
  /** No mouse: nothing is dragged in, nothing is hovered over. */
  touch: "(hover: none)",
  dark: "(prefers-color-scheme: dark)",
  /** Users who prefer reduced motion. */
  still: "(prefers-reduced-motion: reduce)",
} as const;

export function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (notify) => {
      const list = matchMedia(query);
      list.addEventListener("change", notify);
      return () => list.removeEventListener("change", notify);
    },
    () => matchMedia(query).matches,
  );
}
