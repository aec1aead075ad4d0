import styles from "./ProgressLine.module.css";

/** Before the first page: the background, and after a moment the loading line. */
export function Splash() {
  return <div className={styles.line} role="progressbar" aria-label="正在载入" />;
}
