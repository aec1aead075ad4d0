// 服务器分配: who may use which servers, as a matrix and as a list.
import { useQuery } from "@tanstack/react-query";
import { Button, Segmented } from "antd";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { allServersQuery } from "@/shared/compute/api";
import { groupOptionsQuery } from "@/shared/list/group-options";
import { usePanel } from "@/shared/list/use-panel";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { AllocationDrawer } from "./AllocationDrawer";
import { AllocationMatrix } from "./AllocationMatrix";
import { AllocationTable } from "./AllocationTable";
import type { Preset } from "./allocation-form";
import { type Allocation, allAllocationsQuery } from "./api";

const panels = ["new", "edit"] as const;

export default function AllocationsPage() {
  const [address, setAddress] = useSearchParams();
  const asList = address.get("view") === "list";
  const panel = usePanel(panels);
  const [preset, setPreset] = useState<Preset>({});
  const allocations = useQuery(allAllocationsQuery);
  const begin = (from: Preset = {}) => {
    setPreset(from);
    panel.show("new");
  };
  const edit = ({ id }: Allocation) => panel.show("edit", id);
  const chosen = allocations.data?.find(({ id }) => id === panel.id);
  return (
    <>
      <PageHeader
        title="服务器分配"
        meta={allocations.data && `共 ${allocations.data.length} 条，没有分配的服务器只有管理员能用`}
        actions={
          <>
            <Segmented
              aria-label="显示方式"
              value={asList ? "list" : "matrix"}
              options={[
                { value: "matrix", label: "矩阵" },
                { value: "list", label: "列表" },
              ]}
              onChange={(view) => setAddress(view === "list" ? { view } : {}, { replace: true })}
            />
            <Button type="primary" icon={<Icon name="plus" size={14} />} onClick={() => begin()}>
              新建分配
            </Button>
          </>
        }
      />
      {asList ? <AllocationTable onEdit={edit} /> : <Matrix onOpen={edit} onNew={begin} />}
      {(panel.name !== "edit" || chosen) && (
        <AllocationDrawer
          key={panel.opening}
          open={panel.name !== null}
          allocation={panel.name === "edit" ? chosen : undefined}
          preset={preset}
          onClose={panel.close}
        />
      )}
    </>
  );
}

interface MatrixProps {
  onOpen: (allocation: Allocation) => void;
  onNew: (preset: Preset) => void;
}

function Matrix({ onOpen, onNew }: MatrixProps) {
  const servers = useQuery(allServersQuery);
  const allocations = useQuery(allAllocationsQuery);
  const groups = useQuery(groupOptionsQuery);
  const queries = [servers, allocations, groups];
  const error = queries.find((query) => query.error)?.error;
  const retry = () => void Promise.all(queries.map((query) => query.refetch()));
  if (!servers.data || !allocations.data || !groups.data) {
    return (
      <Panel label="分配矩阵">
        {error ? (
          <ErrorPanel title="分配没有取到" error={error} onRetry={retry} />
        ) : (
          <TableSkeleton rows={6} rowHeight={56} />
        )}
      </Panel>
    );
  }
  return (
    <Panel label="分配">
      {error && <RefreshFailed error={error} onRetry={retry} />}
      {servers.data.items.length === 0 ? (
        <EmptyPanel icon="server" text="还没有服务器" note="先在服务器管理里添加服务器，再分配给用户" />
      ) : (
        <AllocationMatrix
          servers={servers.data.items}
          allocations={allocations.data}
          groups={groups.data}
          onOpen={onOpen}
          onNew={onNew}
        />
      )}
    </Panel>
  );
}
