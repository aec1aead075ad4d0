// A list item: a name with tags, a line of facts below it, and one action at its end.
import type { ReactNode } from "react";
import styles from "./FactRow.module.css";

interface FactRowProps {
  name: string;
  /** Tooltip of the name. */
  title?: string;
  /** Beside the name. */
  tags?: ReactNode;
  /** The second line. */
  facts: ReactNode[];
  /** Struck out: it has expired. */
  over?: boolean;
  action?: ReactNode;
}

export function FactRow({ name, title, tags, facts, over = false, action }: FactRowProps) {
  return (
    <li className={over ? `${styles.row} ${styles.over}` : styles.row}>
      <div className={styles.about}>
        <div className={styles.name}>
          <b title={title}>{name}</b>
          {tags}
        </div>
        <div className={styles.facts}>
          {facts.map((fact, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row's facts keep their places
            <span key={place}>{fact}</span>
          ))}
        </div>
      </div>
      {action && <div className={styles.action}>{action}</div>}
    </li>
  );
}
