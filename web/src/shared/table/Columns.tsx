// The layout of panels on a page: below each other, and where there is space a narrow column beside a wide one.
import type { ReactNode } from "react";
import styles from "./Columns.module.css";

export function Stack({ children }: { children: ReactNode }) {
  return <div className={styles.stack}>{children}</div>;
}

export function Columns({ side, children }: { side: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.columns}>
      <Stack>{children}</Stack>
      <Stack>{side}</Stack>
    </div>
  );
}
