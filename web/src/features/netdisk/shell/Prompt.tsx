// The prompt of a command: the folder that it runs in.
import { shownName } from "../disk-paths";
import styles from "./ShellPanel.module.css";

export function Prompt({ folder }: { folder: string }) {
  const path = folder.length > 1 ? folder.replace(/\/$/, "") : folder;
  return (
    <span className={styles.prompt}>
      <bdi>{shownName(path)}</bdi> ${" "}
    </span>
  );
}
