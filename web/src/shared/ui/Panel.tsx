// The white card of all content. While old content is being refreshed a 2 px line runs along its top.
import type { ReactNode } from "react";
import styles from "./Panel.module.css";

interface PanelProps {
  title?: ReactNode;
  /** Beside the title, at the right. */
  extra?: ReactNode;
  refreshing?: boolean;
  /** Without it the content reaches the edges, as tables do. */
  padded?: boolean;
  /** The accessible name where there is no title. */
  label?: string;
  children: ReactNode;
}

export function Panel({ title, extra, refreshing = false, padded = false, label, children }: PanelProps) {
  return (
    <section className={styles.panel} aria-label={label} aria-busy={refreshing}>
      {refreshing && <div className={styles.refreshing} aria-hidden="true" />}
      {title && (
        <header className={styles.head}>
          <h2>{title}</h2>
          {extra}
        </header>
      )}
      {padded ? <div className={styles.body}>{children}</div> : children}
    </section>
  );
}
