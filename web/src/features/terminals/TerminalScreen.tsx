// The place of a screen in the page. `sessions.ts` owns the screen, which is only moved in and out.
import { useEffect, useRef } from "react";
import { begin, screenOf } from "./sessions";
import styles from "./TerminalDesk.module.css";

export function TerminalScreen({ id, covered }: { id: number; covered: boolean }) {
  const place = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const screen = screenOf(id);
    const parent = place.current;
    if (!screen || !parent) return;
    screen.attach(parent);
    begin(id);
    const observer = new ResizeObserver(() => screen.fit());
    observer.observe(parent);
    return () => {
      observer.disconnect();
      screen.element.remove();
    };
  }, [id]);

  useEffect(() => {
    if (!covered) screenOf(id)?.focus();
  }, [id, covered]);

  return <div ref={place} className={styles.screen} inert={covered} />;
}
