// In the top bar: a field that opens the search over everything, on a phone only its sign.
import { Icon } from "@/shared/theme/Icon";
import styles from "./FindButton.module.css";
import { findKeys } from "./find-keys";
import { openPalette } from "./find-store";
import { expectPalette } from "./load-palette";

export function FindButton() {
  return (
    <button
      type="button"
      className={styles.button}
      aria-label="查找"
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      title={`查找（${findKeys}）`}
      onPointerEnter={expectPalette}
      onClick={openPalette}
    >
      <Icon name="search" />
      <span className={styles.words}>查找</span>
      <kbd className={styles.keys}>{findKeys}</kbd>
    </button>
  );
}
