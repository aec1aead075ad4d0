// The state of the shown terminal's connection, and its actions.
import { useEffect, useState } from "react";
import { Icon } from "@/shared/theme/Icon";
import { connect, type Terminal } from "./sessions";
import styles from "./TerminalDesk.module.css";

export function LineBar({ terminal: { id, phase, label }, number }: { terminal: Terminal; number: number }) {
  if (phase.kind === "waiting")
    return (
      <div className={styles.bar} role="status">
        <Icon name="unlink" />
        <span>
          会话 {number}：{phase.words}。正在第 {phase.attempt} 次重连（
          <Countdown key={phase.attempt} from={phase.delay} />
          ）。实例里在后台运行的程序不受影响。
        </span>
        <button type="button" className={styles.barButton} onClick={() => connect(id)}>
          立即重连
        </button>
      </div>
    );
  if (phase.kind === "over")
    return (
      <div className={phase.failed ? styles.bar : `${styles.bar} ${styles.calm}`} role="status">
        <Icon name={phase.failed ? "alert" : "exit"} />
        <span>{phase.words}</span>
        <button
          type="button"
          className={styles.barButton}
          aria-label={`重新打开 ${label}`}
          onClick={() => connect(id)}
        >
          重新打开
        </button>
      </div>
    );
  return null;
}

/** Seconds that run down; read aloud once only. */
function Countdown({ from }: { from: number }) {
  const [left, setLeft] = useState(from);
  useEffect(() => {
    const timer = setInterval(() => setLeft((seconds) => Math.max(1, seconds - 1)), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <span aria-hidden="true">{left} 秒后</span>
      <span className={styles.unseen}>{from} 秒后</span>
    </>
  );
}
