// One selectable image.
import type { ReactNode } from "react";
import styles from "./ImageBlock.module.css";

interface ImageChoiceProps {
  /** Its name, which is also its accessible name. */
  name: string;
  note: ReactNode;
  /** At the right of the name. */
  size?: string | undefined;
  checked: boolean;
  /** Why it can't be chosen. */
  closed?: string | undefined;
  onChoose: () => void;
  /** Below it, outside of the clickable area. */
  children?: ReactNode;
}

export function ImageChoice({ name, note, size, checked, closed, onChoose, children }: ImageChoiceProps) {
  const looks = [styles.image, checked && styles.checked, closed && styles.closed];
  return (
    <div className={looks.filter(Boolean).join(" ")}>
      <label className={styles.choice}>
        <input
          type="radio"
          name="image"
          aria-label={closed ? `${name}（${closed}）` : name}
          checked={checked}
          disabled={closed !== undefined}
          onChange={onChoose}
        />
        <span className={styles.words}>
          <span className={styles.name} title={name}>
            {name}
          </span>
          <small>{closed ?? note}</small>
        </span>
        {size && <small className={styles.size}>{size}</small>}
      </label>
      {children}
    </div>
  );
}
