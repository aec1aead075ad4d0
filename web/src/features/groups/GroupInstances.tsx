// Instances of a group's members, for its leaders and administrators, who may stop them.
import { useQuery } from "@tanstack/react-query";
import { instancesOfGroupQuery } from "@/shared/compute/api";
import { InstancePanel } from "@/shared/compute/InstancePanel";
import { isAdmin, useSession } from "@/shared/stores/session";

export function GroupInstances({ group }: { group: number }) {
  const instances = useQuery(instancesOfGroupQuery(group));
  const session = useSession();
  const admin = isAdmin(session);
  const { items = [], total = 0 } = instances.data ?? {};
  return (
    <InstancePanel
      title="组员的实例"
      extra={total > items.length && `共 ${total} 个，显示最新的 ${items.length} 个`}
      label="组员的实例"
      instances={instances}
      empty={{ text: "组员现在没有实例" }}
      owners
      full={({ owner }) => admin || owner.id === session.id}
    />
  );
}
