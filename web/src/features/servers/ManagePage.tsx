// 服务器管理: adding, editing, testing and resting servers, and their cards; for administrators.
import type { ServerView } from "@/shared/compute/api";
import { GpuSquares } from "@/shared/compute/GpuSquares";
import { LinkButton } from "@/shared/frame/LinkButton";
import { useListParams } from "@/shared/list/use-list-params";
import { usePanel } from "@/shared/list/use-panel";
import { DataTable } from "@/shared/table/DataTable";
import type { DataColumn } from "@/shared/table/data-table";
import { Icon } from "@/shared/theme/Icon";
import { PageHeader } from "@/shared/ui/PageHeader";
import { UpdatedAgo } from "@/shared/ui/UpdatedAgo";
import { CheckDrawer } from "./CheckDrawer";
import { CheckSummary } from "./CheckSummary";
import { GpusDrawer } from "./GpusDrawer";
import { MaintenanceDialog } from "./MaintenanceDialog";
import { ServerActions } from "./ServerActions";
import { ServerName, ServerState } from "./ServerCells";
import styles from "./ServerCells.module.css";
import { EditServerDrawer, NewServerDrawer } from "./ServerDrawer";
import { serverExpansion } from "./server-expansion";
import type { Filter } from "./server-list";
import { useServerRows } from "./useServerRows";

const panels = ["new", "edit", "check", "gpus", "maintenance"] as const;

export default function ManagePage() {
  const list = useListParams<Filter>({ sort: "name", order: "asc", filters: ["state"] });
  const panel = usePanel(panels);
  const { all, counts, source, filters, updated } = useServerRows(list);
  const about = all.find(({ id }) => id === panel.id);

  const add = (
    <LinkButton type="primary" icon={<Icon name="plus" size={14} />} to="/servers/server_join">
      添加服务器
    </LinkButton>
  );
  const actions = (server: ServerView, compact = false) => (
    <ServerActions server={server} compact={compact} onPanel={(name) => panel.show(name, server.id)} />
  );
  const columns: readonly DataColumn<ServerView>[] = [
    {
      key: "name",
      title: "服务器",
      sort: "name",
      always: true,
      render: (server) => <ServerName server={server} />,
    },
    { key: "state", title: "状态", render: (server) => <ServerState server={server} /> },
    {
      key: "gpus",
      title: "GPU 卡",
      render: (server) => (
        <div className={styles.gpus}>
          <GpuSquares gpus={server.gpus} server={server} />
        </div>
      ),
    },
    {
      key: "check",
      title: "检测",
      render: (server) => <CheckSummary checks={server.manage?.checks ?? []} />,
    },
    { key: "engine", title: "引擎", wide: true, render: ({ facts }) => facts?.engineVersion || "—" },
    {
      key: "ports",
      title: "端口范围",
      wide: true,
      render: ({ manage }) => (manage ? `${manage.portRange.from}–${manage.portRange.to}` : "—"),
    },
    {
      key: "instances",
      title: "运行实例",
      sort: "instances",
      align: "right",
      render: ({ runningInstances }) => `${runningInstances} 个`,
    },
    { key: "actions", title: "操作", align: "right", always: true, render: (server) => actions(server) },
  ];

  return (
    <>
      <PageHeader
        title="服务器管理"
        meta={
          counts && (
            <>
              {`${all.length} 台 · ${counts.gpus} 张卡 · `}
              <UpdatedAgo at={updated} />
            </>
          )
        }
        actions={add}
      />
      <DataTable<ServerView>
        id="manage-servers"
        label="服务器管理列表"
        unit="台"
        rowKey={(server) => server.id}
        rowHeight={52}
        expansion={serverExpansion}
        columns={columns}
        source={source}
        list={list}
        muted={({ state }) => state === "disabled"}
        card={(server) => (
          <div className={styles.card}>
            <div className={styles.cardHead}>
              <ServerName server={server} />
              <ServerState server={server} />
            </div>
            <GpuSquares gpus={server.gpus} server={server} />
            <div className={styles.cardFoot}>
              <CheckSummary checks={server.manage?.checks ?? []} />
              {actions(server, true)}
            </div>
          </div>
        )}
        filters={filters}
        empty={{
          icon: "server",
          text: "还没有服务器",
          note: "本机的 Docker 引擎会自动加入；其他机器用一行命令添加",
          action: add,
        }}
      />
      <NewServerDrawer
        key={`new ${panel.opening}`}
        open={panel.name === "new"}
        onClose={panel.close}
        onAdded={(id) => panel.show("check", id)}
      />
      <EditServerDrawer
        key={`edit ${panel.opening}`}
        open={panel.name === "edit"}
        server={about}
        onClose={panel.close}
      />
      <CheckDrawer
        key={`check ${panel.opening}`}
        open={panel.name === "check"}
        server={about}
        onClose={panel.close}
      />
      <GpusDrawer
        key={`gpus ${panel.opening}`}
        open={panel.name === "gpus"}
        server={about}
        onClose={panel.close}
      />
      <MaintenanceDialog
        key={`maintenance ${panel.opening}`}
        open={panel.name === "maintenance"}
        server={about}
        onClose={panel.close}
      />
    </>
  );
}
