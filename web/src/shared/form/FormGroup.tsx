// A group of fields under a small grey head.
import { type ReactNode, useId } from "react";
import styles from "./FormGroup.module.css";

export function FormGroup({ title, children }: { title: string; children: ReactNode }) {
  const head = useId();
  return (
    <section className={styles.group} aria-labelledby={head}>
      <h3 id={head} className={styles.title}>
        {title}
      </h3>
      {children}
    </section>
  );
}
