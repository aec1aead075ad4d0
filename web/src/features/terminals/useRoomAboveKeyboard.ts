// A phone's keyboard covers the page without making it smaller, and with it the extra keys: the desk ends above it.
import { type RefObject, useEffect } from "react";

export function useRoomAboveKeyboard(desk: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const view = window.visualViewport;
    if (!view) return;
    const measure = () => {
      const element = desk.current;
      if (!element) return;
      const covered = window.innerHeight - view.height > 120;
      const top = element.getBoundingClientRect().top;
      element.style.maxHeight = covered ? `${view.offsetTop + view.height - top}px` : "";
    };
    view.addEventListener("resize", measure);
    return () => view.removeEventListener("resize", measure);
  }, [desk]);
}
