// 用户组列表: all groups, for administrators.
import { useQuery } from "@tanstack/react-query";
import { App, Button, Flex } from "antd";
import { useState } from "react";
import { useNavigate } from "react-router";
import { listSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { usePanel } from "@/shared/list/use-panel";
import { DataTable } from "@/shared/table/DataTable";
import { RowActions } from "@/shared/table/RowActions";
import { Icon } from "@/shared/theme/Icon";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { PageHeader } from "@/shared/ui/PageHeader";
import { usePhone } from "@/shared/ui/usePhone";
import { type Group, groupsQuery, useDeleteGroup } from "./api";
import { GroupCard, groupColumns, membersPath } from "./GroupCells";
import { EditGroupDrawer, NewGroupDrawer } from "./GroupDrawer";
import { HeldFolders } from "./HeldFolders";

const panels = ["new", "edit"] as const;

export default function GroupsPage() {
  const phone = usePhone();
  const list = useListParams({ sort: "name", order: "asc" });
  const panel = usePanel(panels);
  const groups = useQuery(groupsQuery(list));
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState<Group | null>(null);
  const create = (
    <Button type="primary" icon={<Icon name="plus" size={14} />} onClick={() => panel.show("new")}>
      新建用户组
    </Button>
  );
  const actions = (group: Group) => (
    <RowActions
      name={group.name}
      first={[{ key: "edit", label: "编辑", onClick: () => panel.show("edit", group.id) }]}
      more={[
        { key: "members", label: "管理成员", onClick: () => navigate(membersPath(group.id)) },
        { key: "delete", label: "删除", danger: true, onClick: () => setDeleting(group) },
      ]}
    />
  );
  return (
    <>
      <PageHeader
        title="用户组列表"
        meta={groups.data && `共 ${groups.data.total} 个用户组`}
        actions={create}
      />
      <Flex vertical gap={phone ? 12 : 16}>
        <DataTable<Group>
          id="groups"
          label="用户组列表"
          unit="个"
          rowKey={(group) => group.id}
          columns={[
            ...groupColumns,
            { key: "actions", title: "操作", align: "right", always: true, render: actions },
          ]}
          source={listSource(groups)}
          list={list}
          card={(group) => <GroupCard group={group} actions={actions(group)} />}
          filters={{
            search: { placeholder: "名称、说明", value: list.q, onSearch: list.setSearch },
            active: list.active,
            onReset: list.reset,
          }}
          empty={{
            icon: "users",
            text: "还没有用户组",
            note: "同组的人共用一个文件夹，组长可以增减成员",
            action: create,
          }}
        />
        <HeldFolders />
      </Flex>
      <NewGroupDrawer key={`new ${panel.opening}`} open={panel.name === "new"} onClose={panel.close} />
      <EditGroupDrawer
        key={`edit ${panel.opening}`}
        open={panel.name === "edit"}
        id={Number(panel.id)}
        onClose={panel.close}
      />
      <DeleteGroup group={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

function DeleteGroup({ group, onClose }: { group: Group | null; onClose: () => void }) {
  const { message } = App.useApp();
  const remove = useDeleteGroup();
  // The words stay while the dialogue fades out.
  const [last, setLast] = useState(group);
  if (group && group !== last) setLast(group);
  if (!last) return null;
  return (
    <ConfirmDanger
      open={group !== null}
      title={`删除用户组 ${last.name}？`}
      verb="删除"
      shortName={last.name}
      submitting={remove.isPending}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(last.id, {
          onSuccess: () => message.success(`已删除用户组 ${last.name}`, 1.5),
          onError: (error) => message.error(error.message, 2),
          onSettled: onClose,
        })
      }
    >
      组和 {last.memberCount}{" "}
      人的成员身份会被删除，不能恢复。这些人的账号和个人文件不受影响，共享文件夹里的文件保留在磁盘上，并从他们运行中的实例里卸载。
    </ConfirmDanger>
  );
}
