// Present users of a dataset; while there are any, it cannot be deleted.
import { Panel } from "@/shared/ui/Panel";
import type { DatasetDetail } from "./api";
import styles from "./DatasetInfo.module.css";

interface DatasetUsersProps {
  instances: NonNullable<DatasetDetail["instances"]>;
  uses: number;
}

export function DatasetUsers({ instances, uses }: DatasetUsersProps) {
  return (
    <Panel title="使用者" extra={<span className={styles.note}>共 {uses} 次使用</span>} padded>
      {instances.length === 0 ? (
        <span className={styles.none}>现在没有实例在用</span>
      ) : (
        <ul className={styles.rows} aria-label="使用它的实例">
          {instances.map(({ instance, username, version }) => (
            <li key={`${instance} ${version}`} className={styles.file}>
              <span>{instance}</span>
              <span className={styles.size}>
                {username}
                {version != null && ` · v${version}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
