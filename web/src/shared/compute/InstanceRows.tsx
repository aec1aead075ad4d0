// Instances with their state, cards, times and ways in: rows on a wide screen, cards on a phone.
import { Checkbox } from "antd";
import { Link } from "react-router";
import type { InstanceView } from "./api";
import { GpuSquares } from "./GpuSquares";
import { InstanceAccess } from "./InstanceAccess";
import { InstanceActions } from "./InstanceActions";
import styles from "./InstanceRows.module.css";
import { InstanceState } from "./InstanceState";
import { InstanceTimes } from "./InstanceTimes";
import { links } from "./links";

interface InstanceRowsProps {
  label: string;
  instances: readonly InstanceView[];
  /** Shows the owner of each, where they have several owners. */
  owners?: boolean;
  /** Whether the user may do everything with it; a leader of its owner's group may only stop it. */
  full: (instance: InstanceView) => boolean;
  /** Where several can be selected. */
  selection?: InstanceSelection;
}

export interface InstanceSelection {
  ids: readonly string[];
  onChange: (ids: string[]) => void;
}

export function InstanceRows({ label, instances, owners = false, full, selection }: InstanceRowsProps) {
  const toggle = (id: string, on: boolean) =>
    selection?.onChange(on ? [...selection.ids, id] : selection.ids.filter((other) => other !== id));
  return (
    <div className={styles.list}>
      <div className={styles.heads} aria-hidden="true">
        <span>实例</span>
        <span>状态</span>
        <span>GPU 卡</span>
        <span>时间</span>
        <span>操作</span>
      </div>
      <ul aria-label={label}>
        {instances.map((instance) => (
          <li key={instance.id} className={styles.row} aria-label={instance.name}>
            <div className={styles.name}>
              {selection && (
                <Checkbox
                  className={styles.check}
                  aria-label={`选择 ${instance.name}`}
                  checked={selection.ids.includes(instance.id)}
                  onChange={({ target }) => toggle(instance.id, target.checked)}
                />
              )}
              <Link to={links.instance(instance.id)}>{instance.name}</Link>
              <small>
                {[owners && instance.owner.username, instance.note, instance.server?.name, instance.image]
                  .filter(Boolean)
                  .join(" · ")}
              </small>
            </div>
            <div className={styles.state}>
              <InstanceState instance={instance} />
            </div>
            <div>
              <InstanceCards instance={instance} />
            </div>
            <div>
              <InstanceTimes instance={instance} />
            </div>
            <div className={styles.actions}>
              {full(instance) && <InstanceAccess instance={instance} />}
              <InstanceActions instance={instance} full={full(instance)} />
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Its cards; while its server does not answer, the last known ones. */
export function InstanceCards({ instance: { gpus, server, unreachable } }: { instance: InstanceView }) {
  if (gpus.length === 0) return <span className={styles.none}>不占卡</span>;
  return (
    <GpuSquares
      gpus={gpus}
      server={{
        name: server?.name ?? "",
        state: unreachable ? "unreachable" : "online",
        schedulable: true,
        maintenanceNote: "",
      }}
    />
  );
}
