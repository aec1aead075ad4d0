// An entry of a log on a phone.
import type { ReactNode } from "react";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./LogCard.module.css";

interface LogCardProps {
  title: string;
  time: string;
  state: ReactNode;
  facts: readonly string[];
  action?: ReactNode;
}

export function LogCard({ title, time, state, facts, action }: LogCardProps) {
  return (
    <div>
      <div className={styles.head}>
        <b>{title}</b>
        {state}
      </div>
      <div className={styles.facts}>{facts.filter(Boolean).join(" · ")}</div>
      <div className={styles.foot}>
        <TimeText time={time} full />
        {action}
      </div>
    </div>
  );
}
