// What the members of a group have, for those who may stop it: its leaders and administrators.
import { useQuery } from "@tanstack/react-query";
import { instancesOfGroupQuery } from "@/shared/compute/api";
import { InstanceRows } from "@/shared/compute/InstanceRows";
import { isAdmin, useSession } from "@/shared/stores/session";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";

export function GroupInstances({ group }: { group: number }) {
  const instances = useQuery(instancesOfGroupQuery(group));
  const session = useSession();
  const admin = isAdmin(session);
  const { data, error } = instances;
  const retry = () => void instances.refetch();
  const shown = data?.items.length ?? 0;
  return (
    <Panel
      title="组员的实例"
      extra={data && data.total > shown ? `共 ${data.total} 个，显示最新的 ${shown} 个` : undefined}
    >
      {!data && error && <ErrorPanel title="组员的实例没有取到" error={error} onRetry={retry} />}
      {!data && !error && <TableSkeleton rows={2} rowHeight={48} />}
      {data && error && <RefreshFailed error={error} onRetry={retry} />}
      {shown === 0 && data && <EmptyPanel icon="server" text="组员现在没有实例" />}
      {data && shown > 0 && (
        <InstanceRows
          label="组员的实例"
          instances={data.items}
          owners
          full={({ owner }) => admin || owner.id === session.id}
        />
      )}
    </Panel>
  );
}
