import { type RefObject, useEffect, useRef } from "react";

/** After a navigation the focus goes to the new page's heading, so that keyboard and screen reader start there. */
export function usePageFocus(main: RefObject<HTMLElement | null>, page: string | undefined) {
  const shown = useRef(page);
  useEffect(() => {
    // Not at the first load: the browser's own place for the focus is right then.
    if (shown.current === page) return;
    shown.current = page;
    const heading = main.current?.querySelector("h1");
    if (heading && !heading.hasAttribute("tabindex")) heading.tabIndex = -1;
    (heading ?? main.current)?.focus({ preventScroll: true });
  }, [main, page]);
}
