// All disk users, for the disk's administrators; each name links to that user's permissions.
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { Link } from "react-router";
import { cutSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { usePanel } from "@/shared/list/use-panel";
import { DataTable } from "@/shared/table/DataTable";
import type { DataColumn } from "@/shared/table/data-table";
import { Icon } from "@/shared/theme/Icon";
import type { DiskUser } from "../account/api";
import { AddDiskUserDrawer } from "./AddDiskUserDrawer";
import { diskUsersQuery } from "./api";
import { DiskSettingsFrame, settingsPath } from "./DiskSettingsFrame";
import styles from "./DiskUsersPage.module.css";
import { permissions } from "./options";

export default function DiskUsersPage() {
  return <DiskSettingsFrame>{(host) => <Users host={host} />}</DiskSettingsFrame>;
}

function permissionText({ perm }: DiskUser): string {
  if (perm.admin) return "全部，可管理网盘";
  const had = permissions.filter(({ value }) => perm[value]).map(({ label }) => label);
  return had.join("、") || "无";
}

function UserLink({ user }: { user: DiskUser }) {
  return (
    <Link className={styles.name} to={`${settingsPath}/users/${user.id}`}>
      {user.username}
    </Link>
  );
}

function UserCard({ user }: { user: DiskUser }) {
  const facts = [permissionText(user), user.scope, user.rules.length > 0 && `${user.rules.length} 条规则`];
  return (
    <div>
      <UserLink user={user} />
      <div className={styles.facts}>{facts.filter(Boolean).join(" · ")}</div>
    </div>
  );
}

const columns: DataColumn<DiskUser>[] = [
  { key: "username", title: "用户名", always: true, render: (user) => <UserLink user={user} /> },
  { key: "perm", title: "权限", render: permissionText },
  { key: "scope", title: "根目录", render: ({ scope }) => scope },
  { key: "rules", title: "规则", align: "right", render: ({ rules }) => rules.length },
];

function Users({ host }: { host: string }) {
  const list = useListParams({ sort: "username", order: "asc", size: 50 });
  const users = useQuery(diskUsersQuery(host));
  const panel = usePanel(["new"]);
  const words = list.q.trim().toLowerCase();
  const add = (
    <Button icon={<Icon name="plus" size={14} />} onClick={() => panel.show("new")}>
      添加用户
    </Button>
  );
  return (
    <>
      <DataTable<DiskUser>
        id="netdisk-users"
        label="网盘用户"
        unit="人"
        rowHeight={40}
        rowKey={({ id }) => id}
        columns={columns}
        source={cutSource(users, list, ({ username }) => username.toLowerCase().includes(words))}
        list={list}
        card={(user) => <UserCard user={user} />}
        filters={{
          active: 0,
          search: { placeholder: "用户名", value: list.q, onSearch: list.setSearch },
          onReset: list.reset,
        }}
        tools={add}
        empty={{ icon: "users", text: "还没有人用过网盘" }}
      />
      <AddDiskUserDrawer key={panel.opening} host={host} open={panel.name === "new"} onClose={panel.close} />
    </>
  );
}
