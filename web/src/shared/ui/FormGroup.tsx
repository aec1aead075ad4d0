// A group of fields under a small grey head.
import type { ReactNode } from "react";
import styles from "./FormGroup.module.css";

export function FormGroup({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className={styles.group}>
      <legend className={styles.title}>{title}</legend>
      {children}
    </fieldset>
  );
}
