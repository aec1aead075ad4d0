// The state of an instance: its label, the progress of its image, and an unreachable server.
import { StateText } from "@/shared/ui/StateText";
import type { InstanceView } from "./api";
import { faultyOf } from "./card-fault";
import styles from "./InstanceState.module.css";
import { frozenLabels, lookOf, pullPercent } from "./instance-state";

interface InstanceStateProps {
  instance: InstanceView;
  /** Without the reason of a failure or suspension, where it is shown in full nearby. */
  brief?: boolean;
}

export function InstanceState({ instance, brief = false }: InstanceStateProps) {
  const { suspended, frozen, state } = instance;
  const { label, icon, tone } = lookOf(instance);
  const frozenFor = frozen ? frozenLabels[frozen] : "";
  const reason = suspended || frozenFor || (state === "error" ? instance.stateReason : "");
  const percent = state === "preparing" ? pullPercent(instance) : undefined;
  return (
    <span className={styles.state}>
      <StateText icon={icon} tone={tone}>
        {percent === undefined ? label : `${label} ${percent}%`}
      </StateText>
      {percent !== undefined && (
        <span className={styles.bar} aria-hidden="true">
          <i style={{ width: `${percent}%` }} />
        </span>
      )}
      {instance.unreachable && (
        <StateText icon="unlink" tone="warning">
          服务器失联
        </StateText>
      )}
      {instance.state === "running" && faultyOf(instance.gpus).length > 0 && (
        <StateText icon="fault" tone="error">
          显卡故障
        </StateText>
      )}
      {!brief && reason && (
        <span className={styles.reason} title={reason}>
          {reason}
        </span>
      )}
    </span>
  );
}
