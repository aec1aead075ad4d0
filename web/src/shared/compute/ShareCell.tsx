// How much of something a machine has is in use: a bar, and the figures below it.
import { Meter } from "@/shared/ui/Meter";
import type { Share } from "./machine-use";
import styles from "./ShareCell.module.css";

export function ShareCell({ share: { label, used, total, text } }: { share: Share }) {
  return (
    <span className={styles.cell}>
      <Meter thin label={`${label} 用量`} used={used} limit={total} />
      <span className={styles.text}>{text}</span>
    </span>
  );
}
