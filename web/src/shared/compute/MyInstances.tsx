// 我的实例, with what to do when there are none: on the dashboard and below the list of servers.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { LinkButton } from "@/shared/frame/LinkButton";
import { useSession } from "@/shared/stores/session";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { myInstancesQuery } from "./api";
import { InstanceRows } from "./InstanceRows";
import styles from "./InstanceRows.module.css";
import { links } from "./links";

const everything = () => true;

/** `extra` stands in the heading while there are instances; without any, the way to one stands below. */
export function MyInstances({ extra }: { extra?: ReactNode }) {
  const instances = useQuery(myInstancesQuery);
  const name = useSession((session) => session.username);
  const { data, error } = instances;
  const retry = () => void instances.refetch();
  const title = <>我的实例 {data && data.total > 0 && <span className={styles.count}>{data.total}</span>}</>;
  return (
    <Panel title={title} extra={data?.total === 0 ? undefined : extra}>
      {!data && error && <ErrorPanel title="我的实例没有取到" error={error} onRetry={retry} />}
      {!data && !error && <TableSkeleton rows={2} rowHeight={48} />}
      {data && error && <RefreshFailed error={error} onRetry={retry} />}
      {data?.items.length === 0 && (
        <EmptyPanel
          icon="server"
          text="还没有实例"
          note={`选好服务器、显卡和镜像就能创建，网盘文件在实例里的 /home/${name}`}
          action={<CreateLink />}
        />
      )}
      {data && data.items.length > 0 && (
        <InstanceRows label="我的实例" instances={data.items} full={everything} />
      )}
    </Panel>
  );
}

/** The way to a new instance. */
export function CreateLink() {
  return (
    <LinkButton type="primary" to={links.create()} icon={<Icon name="plus" size={14} />}>
      创建实例
    </LinkButton>
  );
}
