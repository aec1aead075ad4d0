// A file's name on one line. What does not fit is cut in the middle: the extension stays in sight.
import styles from "./FileName.module.css";
import { cutInMiddle } from "./middle-cut";

interface FileNameProps {
  name: string;
  className?: string | undefined;
}

export function FileName({ name, className }: FileNameProps) {
  const [start, end] = cutInMiddle(name);
  const classes = className ? `${styles.name} ${className}` : styles.name;
  if (end === "")
    return (
      <span className={classes} title={name}>
        <span className={styles.start}>{name}</span>
      </span>
    );
  return (
    <span className={classes} title={name}>
      {/* Two boxes would be two words for a screen reader. */}
      <span className={styles.whole}>{name}</span>
      <span className={styles.start} aria-hidden="true">
        {start}
      </span>
      <span className={styles.end} aria-hidden="true">
        {end}
      </span>
    </span>
  );
}
