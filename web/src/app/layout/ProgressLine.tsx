import { useNavigation } from "react-router";
import styles from "./ProgressLine.module.css";

/** The old page stays until the new one is ready; this 2 px line at the top shows that it is loading. */
export function ProgressLine() {
  const { state } = useNavigation();
  if (state === "idle") return null;
  return <div className={styles.line} role="progressbar" aria-label="正在打开页面" />;
}
