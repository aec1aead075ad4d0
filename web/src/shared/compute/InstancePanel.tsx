// Instances in a panel: the rows, or why there are none.
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import type { InstanceView } from "./api";
import { InstanceRows, type InstanceSelection } from "./InstanceRows";

interface InstancePanelProps {
  title: ReactNode;
  extra?: ReactNode;
  /** The heading: `我的实例`. */
  label: string;
  instances: UseQueryResult<{ items: InstanceView[]; total: number }>;
  empty: { text: string; note?: string; action?: ReactNode };
  /** Shows the owner of each, where they have several owners. */
  owners?: boolean;
  /** Whether the asking person may do everything with it. */
  full: (instance: InstanceView) => boolean;
  selection?: InstanceSelection;
  /** Between the heading and the rows. */
  above?: ReactNode;
}

export function InstancePanel({
  title,
  extra,
  label,
  instances,
  empty,
  owners = false,
  full,
  selection,
  above,
}: InstancePanelProps) {
  const { data, error } = instances;
  const retry = () => void instances.refetch();
  return (
    <Panel title={title} extra={extra}>
      {!data && error && <ErrorPanel title={`${label}没有取到`} error={error} onRetry={retry} />}
      {!data && !error && <TableSkeleton rows={2} rowHeight={48} />}
      {data && error && <RefreshFailed error={error} onRetry={retry} />}
      {data?.items.length === 0 && <EmptyPanel icon="server" {...empty} />}
      {data && data.items.length > 0 && (
        <>
          {above}
          <InstanceRows
            label={label}
            instances={data.items}
            owners={owners}
            full={full}
            {...(selection && { selection })}
          />
        </>
      )}
    </Panel>
  );
}
