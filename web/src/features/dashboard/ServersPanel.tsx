// The panel of servers in its states, with the totals beside its title.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { allServersQuery, type ServerView } from "@/shared/compute/api";
import { GpuLegend } from "@/shared/compute/GpuSquares";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { usePhone } from "@/shared/ui/usePhone";
import { ServerRows } from "./ServerRows";
import styles from "./Servers.module.css";

interface ServersPanelProps {
  title: string;
  /** Shown when there are none. */
  none: string;
  noneAction?: ReactNode;
  sum: (servers: readonly ServerView[]) => string;
  order: (a: ServerView, b: ServerView) => number;
  action?: (server: ServerView) => ReactNode;
  /** Between the heading and the rows. */
  above?: ReactNode;
}

export function ServersPanel({ title, none, noneAction, sum, order, action, above }: ServersPanelProps) {
  const servers = useQuery(allServersQuery);
  const phone = usePhone();
  const { data, error } = servers;
  const retry = () => void servers.refetch();
  const extra = (
    <>
      <span className={styles.meta}>{data && sum(data.items)}</span>
      {!phone && data && data.items.length > 0 && <GpuLegend />}
    </>
  );
  return (
    <Panel title={title} extra={extra}>
      {!data && error && <ErrorPanel title="服务器没有取到" error={error} onRetry={retry} />}
      {!data && !error && <TableSkeleton rows={3} rowHeight={44} />}
      {data && error && <RefreshFailed error={error} onRetry={retry} />}
      {data?.items.length === 0 && <EmptyPanel icon="gpu" text={none} action={noneAction} />}
      {data && data.items.length > 0 && (
        <>
          {above}
          <ServerRows
            label={title}
            servers={data.items.toSorted(order)}
            most={phone ? 3 : 12}
            {...(action && { action })}
          />
        </>
      )}
    </Panel>
  );
}
