import styles from "./ProgressLine.module.css";

/** Before the first page is there: the ground, and after a moment the line that says something is coming. */
export function Splash() {
  return <div className={styles.line} role="progressbar" aria-label="正在载入" />;
}
