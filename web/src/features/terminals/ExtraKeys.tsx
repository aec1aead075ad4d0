// The keys that a phone's keyboard does not have.

import styles from "./ExtraKeys.module.css";
import { extraKeys } from "./keys";
import { canPaste } from "./screen";
import { hold, screenOf, useTerminals } from "./sessions";
import { useTerminalCopy } from "./useTerminalCopy";

export function ExtraKeys({ id }: { id: number }) {
  const held = useTerminals((state) => state.held);
  const { paste } = useTerminalCopy(id);
  return (
    <div className={styles.keys} role="toolbar" aria-label="附加按键">
      {extraKeys.map((key) => {
        const pressed = "modifier" in key ? held === key.modifier : undefined;
        return (
          <button
            key={key.label}
            type="button"
            className={pressed ? `${styles.key} ${styles.held}` : styles.key}
            aria-label={key.name}
            aria-pressed={pressed}
            // The screen keeps the focus, and with it the phone's keyboard stays.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => {
              if ("modifier" in key) hold(key.modifier);
              else screenOf(id)?.press(key.sends);
            }}
          >
            {key.label}
          </button>
        );
      })}
      {canPaste() && (
        <button type="button" className={styles.key} onClick={() => void paste()}>
          粘贴
        </button>
      )}
    </div>
  );
}
