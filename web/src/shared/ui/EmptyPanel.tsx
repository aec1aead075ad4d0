// Nothing here yet: a line icon, one sentence, at most one note and the next action.
import type { ReactNode } from "react";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import styles from "./EmptyPanel.module.css";

interface EmptyPanelProps {
  icon: IconName;
  text: string;
  note?: ReactNode;
  action?: ReactNode;
}

export function EmptyPanel({ icon, text, note, action }: EmptyPanelProps) {
  return (
    <div className={styles.empty}>
      <Icon name={icon} size={28} className={styles.icon} />
      <div>{text}</div>
      {note && <div className={styles.note}>{note}</div>}
      {action}
    </div>
  );
}
