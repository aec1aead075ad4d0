// A command to copy, as it is typed.
import { CopyText } from "@/shared/ui/CopyText";
import styles from "./Join.module.css";

export function Command({ text, label }: { text: string; label: string }) {
  return (
    <div className={styles.command}>
      <pre>{text}</pre>
      <CopyText text={text} label={label} />
    </div>
  );
}
