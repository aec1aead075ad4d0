// Tells the rest of the page how high a panel stands at its lower edge, so that nothing lies under it.
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
