// 状态记录: its history, the latest first.
import type { InstanceDetail } from "@/shared/compute/api";
import { instanceStates } from "@/shared/compute/instance-state";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./History.module.css";

export function History({ history }: Pick<InstanceDetail, "history">) {
  return (
    <Panel title="状态记录">
      <ol className={styles.list} aria-label="状态记录">
        {history.toReversed().map(({ state, time, actor, reason }) => (
          <li key={`${time} ${state}`}>
            <i className={styles[instanceStates[state].tone]} />
            <span>
              {instanceStates[state].label}
              {actor && <small>{actor}</small>}
              {reason && <small className={styles.reason}>{reason}</small>}
            </span>
            <TimeText time={time} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}
