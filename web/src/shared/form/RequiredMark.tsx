// The star of a required field. Ant Design draws its own by CSS, which would then be read out as part of the label.
import type { ReactNode } from "react";
import styles from "./RequiredMark.module.css";

export function requiredMark(label: ReactNode, { required }: { required: boolean }): ReactNode {
  return (
    <>
      {required && (
        <span className={styles.star} aria-hidden="true">
          *
        </span>
      )}
      {label}
    </>
  );
}
