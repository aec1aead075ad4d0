// Publishes the height of a panel at the page's lower edge, so that nothing is covered by it.
import { type RefObject, useLayoutEffect } from "react";

type Variable = "--transfer-height" | "--task-height" | "--shell-height";

export function usePanelHeight(panel: RefObject<HTMLElement | null>, variable: Variable, shown = true) {
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
  }, [panel, variable, shown]);
}
