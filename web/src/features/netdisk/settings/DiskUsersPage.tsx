// Everybody who was on the disk, for its administrators; each name leads to what that person may do there.
import { useQuery } from "@tanstack/react-query";
import { Button, Table } from "antd";
import { Link } from "react-router";
import { usePanel } from "@/shared/list/use-panel";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { TableSkeleton } from "@/shared/ui/TableSkeleton";
import type { DiskUser } from "../account/api";
import { AddDiskUserDrawer } from "./AddDiskUserDrawer";
import { diskUsersQuery } from "./api";
import { DiskSettingsFrame, settingsPath } from "./DiskSettingsFrame";
import { permissions } from "./options";

export default function DiskUsersPage() {
  return <DiskSettingsFrame>{(host) => <Users host={host} />}</DiskSettingsFrame>;
}

function permissionText({ perm }: DiskUser): string {
  if (perm.admin) return "全部，可管理网盘";
  const had = permissions.filter(({ value }) => perm[value]).map(({ label }) => label);
  return had.join("、") || "无";
}

function Users({ host }: { host: string }) {
  const { data, error, isFetching, refetch } = useQuery(diskUsersQuery(host));
  const panel = usePanel(["new"]);
  return (
    <Panel
      title="网盘用户"
      extra={
        <Button icon={<Icon name="plus" size={14} />} onClick={() => panel.show("new")}>
          添加用户
        </Button>
      }
      refreshing={isFetching && data !== undefined}
    >
      <AddDiskUserDrawer key={panel.opening} host={host} open={panel.name === "new"} onClose={panel.close} />
      {error && !data && <ErrorPanel title="网盘用户没有取到" error={error} onRetry={() => void refetch()} />}
      {!error && !data && <TableSkeleton rows={6} rowHeight={40} />}
      {data?.length === 0 && <EmptyPanel icon="users" text="还没有人用过网盘" />}
      {data && data.length > 0 && (
        <Table<DiskUser>
          aria-label="网盘用户"
          size="small"
          rowKey="id"
          dataSource={data}
          pagination={data.length > 50 ? { pageSize: 50, showSizeChanger: false } : false}
          scroll={{ x: "max-content" }}
          columns={[
            {
              key: "username",
              title: "用户名",
              render: (_value, { id, username }) => (
                <Link to={`${settingsPath}/users/${id}`}>{username}</Link>
              ),
            },
            { key: "perm", title: "权限", render: (_value, user) => permissionText(user) },
            { key: "scope", title: "根目录", dataIndex: "scope" },
            {
              key: "rules",
              title: "规则",
              align: "right",
              render: (_value, { rules }) => rules.length,
            },
          ]}
        />
      )}
    </Panel>
  );
}
