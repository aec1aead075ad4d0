// The checkbox of an entry. The browser's own: antd's is a dozen elements and effects, and while scrolling a row is
// rendered eighty times a second.
import styles from "./RowCheck.module.css";

interface RowCheckProps {
  name: string;
  checked: boolean;
  onToggle: () => void;
}

export function RowCheck({ name, checked, onToggle }: RowCheckProps) {
  return (
    <input
      type="checkbox"
      className={styles.box}
      checked={checked}
      tabIndex={-1}
      aria-label={`选择 ${name}`}
      onClick={(event) => event.stopPropagation()}
      onChange={onToggle}
    />
  );
}
