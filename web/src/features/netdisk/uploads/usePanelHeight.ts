// Tells the rest of the page how high the transfers stand at its lower edge, so that nothing lies under them.
import { type RefObject, useLayoutEffect } from "react";

const variable = "--transfer-height";

export function usePanelHeight(panel: RefObject<HTMLElement | null>, shown: boolean) {
  useLayoutEffect(() => {
    const element = panel.current;
    if (!shown || !element) return;
    const root = document.documentElement.style;
    const observer = new ResizeObserver(() => root.setProperty(variable, `${element.offsetHeight}px`));
    observer.observe(element);
    return () => {
      observer.disconnect();
      root.removeProperty(variable);
    };
  }, [panel, shown]);
}
