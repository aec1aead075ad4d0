// A command, or a line of a configuration, with a copy button.
import styles from "./Command.module.css";
import { CopyText } from "./CopyText";

export function Command({ text, label }: { text: string; label: string }) {
  return (
    <div className={styles.command}>
      <pre>{text}</pre>
      <CopyText text={text} label={label} />
    </div>
  );
}
