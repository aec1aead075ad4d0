// The parts of a long page beside it, from the headings of its panels: a click goes there, and the part in sight is
// marked. On a narrow window they are a row above the page.
import { type ReactNode, useEffect, useRef, useState } from "react";
import styles from "./PageIndex.module.css";

interface Part {
  id: string;
  title: string;
}

/** Below the bars that stay at the top. */
const TOP = 130;
/** With fewer parts everything is in sight. */
const FEWEST = 3;

const slug = (title: string, index: number) => `part-${index}-${title.replace(/\s+/g, "-")}`;

function headingsOf(page: HTMLElement): HTMLElement[] {
  return [...page.querySelectorAll<HTMLElement>("section > header > h2")];
}

const same = (a: readonly Part[], b: readonly Part[]) =>
  a.length === b.length && a.every(({ title }, index) => title === b[index]?.title);

/** The parts as they are now: panels come when their data does. */
function useParts(page: { current: HTMLElement | null }): readonly Part[] {
  const [parts, setParts] = useState<readonly Part[]>([]);
  useEffect(() => {
    const element = page.current;
    if (!element) return;
    const read = () => {
      const found = headingsOf(element).map((heading, index) => {
        const title = heading.textContent ?? "";
        heading.id = slug(title, index);
        heading.tabIndex = -1;
        return { id: heading.id, title };
      });
      setParts((before) => (same(before, found) ? before : found));
    };
    read();
    const observer = new MutationObserver(read);
    observer.observe(element, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [page]);
  return parts;
}

/** The last part whose heading has reached the top. */
function useCurrent(parts: readonly Part[]): string | undefined {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    const look = () => {
      const above = parts.findLast(({ id }) => {
        const heading = document.getElementById(id);
        return heading !== null && heading.getBoundingClientRect().top <= TOP;
      });
      setCurrent((above ?? parts[0])?.id);
    };
    look();
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, [parts]);
  return current;
}

export function PageIndex({ children }: { children: ReactNode }) {
  const page = useRef<HTMLDivElement>(null);
  const parts = useParts(page);
  const current = useCurrent(parts);

  function go(id: string) {
    const heading = document.getElementById(id);
    heading?.scrollIntoView({ block: "start" });
    heading?.focus({ preventScroll: true });
  }

  return (
    <div className={styles.frame}>
      <div ref={page} className={styles.page}>
        {children}
      </div>
      {parts.length >= FEWEST && (
        <nav className={styles.index} aria-label="本页目录">
          {parts.map(({ id, title }) => (
            <a
              key={id}
              href={`#${id}`}
              className={id === current ? `${styles.link} ${styles.current}` : styles.link}
              aria-current={id === current ? "location" : undefined}
              onClick={(event) => {
                // The address is of the page; a part of it is no other page.
                event.preventDefault();
                go(id);
              }}
            >
              {title}
            </a>
          ))}
        </nav>
      )}
    </div>
  );
}
