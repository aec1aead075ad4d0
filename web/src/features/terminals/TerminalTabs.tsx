// The tabs of a page's terminals, by number and shell, and the button for another one.
import type { ReactNode } from "react";
import { Icon } from "@/shared/theme/Icon";
import { closeTerminal, screenOf, show, type Terminal } from "./sessions";
import styles from "./TerminalTabs.module.css";

interface TerminalTabsProps {
  place: string;
  terminals: readonly Terminal[];
  active: number | null;
  more: ReactNode;
}

/** Labels on the tabs of terminals that are not shown. */
const troubles: Partial<Record<Terminal["phase"]["kind"], string>> = {
  waiting: "已断开",
  over: "已结束",
};

export function TerminalTabs({ place, terminals, active, more }: TerminalTabsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className={styles.tabs} role="group" aria-label="会话">
      {terminals.map(({ id, label, phase }, index) => {
        const name = `${index + 1} · ${label}`;
        const trouble = troubles[phase.kind];
        return (
          <span key={id} className={id === active ? `${styles.tab} ${styles.active}` : styles.tab}>
            <button
              type="button"
              className={styles.name}
              aria-current={id === active}
              onClick={() => {
                show(place, id);
                screenOf(id)?.focus();
              }}
            >
              {name}
              {trouble && (
                <span className={styles.trouble}>
                  <Icon name="unlink" size={12} /> {trouble}
                </span>
              )}
            </button>
            <button
              type="button"
              className={styles.close}
              aria-label={`关闭会话 ${name}`}
              title="关闭会话"
              onClick={() => closeTerminal(id)}
            >
              <Icon name="close" size={12} />
            </button>
          </span>
        );
      })}
      {more}
    </div>
  );
}
