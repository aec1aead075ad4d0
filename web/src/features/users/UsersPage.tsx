// 用户列表: the list for the URL's filters, and the drawers and dialogs of its rows.
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useState } from "react";
import { groupOptionsQuery } from "@/shared/list/group-options";
import { listSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { usePanel } from "@/shared/list/use-panel";
import { useSession } from "@/shared/stores/session";
import { DataTable } from "@/shared/table/DataTable";
import { FilterSelect } from "@/shared/table/FilterSelect";
import { Icon } from "@/shared/theme/Icon";
import { PageHeader } from "@/shared/ui/PageHeader";
import { usePhone } from "@/shared/ui/usePhone";
import { type User, userCountsQuery, usersQuery } from "./api";
import { ImportDrawer } from "./ImportDrawer";
import { PasswordDrawer } from "./PasswordDrawer";
import { QuotaDrawer } from "./QuotaDrawer";
import { SignInsDrawer } from "./SignInsDrawer";
import { roleOptions, sourceOptions, states } from "./status";
import { UserActions } from "./UserActions";
import { UserBatch } from "./UserBatch";
import { UserCard, userColumns } from "./UserCells";
import { EditUserDrawer, NewUserDrawer } from "./UserDrawer";

const filters = ["active", "role", "group", "source"] as const;
const panels = ["new", "edit", "password", "sign-ins", "quotas", "import"] as const;

export default function UsersPage() {
  const list = useListParams({ sort: "lastLogin", order: "desc", filters });
  const panel = usePanel(panels);
  const users = useQuery(usersQuery(list));
  const counts = useQuery(userCountsQuery).data;
  const groups = useQuery(groupOptionsQuery);
  const phone = usePhone();
  const me = useSession((session) => session.id);
  const [selected, setSelected] = useState<ReadonlyMap<number, User>>(new Map());

  function select(keys: readonly (string | number)[]) {
    const known = new Map([
      ...selected,
      ...(users.data?.items ?? []).map((user) => [user.id, user] as const),
    ]);
    setSelected(new Map([...known].filter(([id]) => keys.includes(id))));
  }

  const chosen = [...selected.values()];
  const actions = (user: User, card = false) => (
    <UserActions
      user={user}
      me={me}
      compact={card}
      onEdit={() => panel.show("edit", user.id)}
      onPassword={() => panel.show("password", user.id)}
      onSignIns={() => panel.show("sign-ins", user.id)}
    />
  );

  return (
    <>
      <PageHeader
        title="用户列表"
        meta={
          counts &&
          `共 ${counts.active + counts.disabled} 人 · 启用 ${counts.active} · 管理员 ${counts.admins}`
        }
        actions={
          <>
            <Button
              icon={<Icon name="upload" size={14} />}
              aria-label="批量创建"
              title={phone ? "批量创建" : undefined}
              onClick={() => panel.show("import")}
            >
              {phone ? undefined : "批量创建"}
            </Button>
            <Button type="primary" icon={<Icon name="plus" size={14} />} onClick={() => panel.show("new")}>
              新建用户
            </Button>
          </>
        }
      />
      <DataTable<User>
        id="users"
        label="用户列表"
        unit="人"
        rowKey={(user) => user.id}
        columns={[
          ...userColumns,
          { key: "actions", title: "操作", align: "right", always: true, render: (user) => actions(user) },
        ]}
        source={listSource(users)}
        list={list}
        muted={(user) => !user.active}
        card={(user) => <UserCard user={user} actions={actions(user, true)} />}
        selection={{
          keys: [...selected.keys()],
          onChange: select,
          unit: "人",
          nameOf: (user) => user.username,
          actions: (
            <UserBatch
              users={chosen}
              me={me}
              onQuotas={() => panel.show("quotas")}
              onDone={(left) => select(left.map((user) => user.id))}
            />
          ),
        }}
        filters={{
          search: { placeholder: "姓名、用户名、邮箱", value: list.q, onSearch: list.setSearch },
          states: {
            label: "状态",
            value: list.filters.active ?? "all",
            options: [
              { value: "all", label: "全部" },
              { value: "true", label: states.active.label, count: counts?.active },
              { value: "false", label: states.disabled.label, count: counts?.disabled },
            ],
            onChange: (active) => list.setFilters({ active: active === "all" ? undefined : active }),
          },
          children: (
            <>
              <FilterSelect
                label="角色"
                value={list.filters.role}
                options={roleOptions}
                onChange={(role) => list.setFilters({ role })}
              />
              <FilterSelect
                label="用户组"
                width={144}
                value={list.filters.group}
                options={(groups.data ?? []).map(({ value, label }) => ({ value: String(value), label }))}
                loading={groups.isPending}
                onChange={(group) => list.setFilters({ group })}
              />
              <FilterSelect
                label="来源"
                value={list.filters.source}
                options={sourceOptions}
                onChange={(source) => list.setFilters({ source })}
              />
            </>
          ),
          active: list.active,
          onReset: list.reset,
        }}
        empty={{
          icon: "users",
          text: "还没有用户",
          action: (
            <Button type="primary" onClick={() => panel.show("new")}>
              新建用户
            </Button>
          ),
        }}
      />
      <NewUserDrawer key={`new ${panel.opening}`} open={panel.name === "new"} onClose={panel.close} />
      <EditUserDrawer
        key={`edit ${panel.opening}`}
        open={panel.name === "edit"}
        id={Number(panel.id)}
        onClose={panel.close}
      />
      <PasswordDrawer
        key={`password ${panel.opening}`}
        open={panel.name === "password"}
        id={Number(panel.id)}
        onClose={panel.close}
      />
      <SignInsDrawer open={panel.name === "sign-ins"} id={Number(panel.id)} onClose={panel.close} />
      <QuotaDrawer
        key={`quotas ${panel.opening}`}
        open={panel.name === "quotas" && chosen.length > 0}
        users={chosen}
        onClose={panel.close}
        onDone={(left) => select(left.map((user) => user.id))}
      />
      <ImportDrawer key={`import ${panel.opening}`} open={panel.name === "import"} onClose={panel.close} />
    </>
  );
}
