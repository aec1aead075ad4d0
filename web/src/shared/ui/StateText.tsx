// A state: icon and word first, colour only third.

import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import styles from "./StateText.module.css";

export type StateTone = "success" | "info" | "warning" | "error" | "off";

interface StateTextProps {
  icon: IconName;
  tone: StateTone;
  children: string;
}

export function StateText({ icon, tone, children }: StateTextProps) {
  return (
    <span className={`${styles.state} ${styles[tone]}`}>
      <Icon name={icon} size={14} />
      {children}
    </span>
  );
}
