// The members of one group, with the actions on them.
import { useQuery } from "@tanstack/react-query";
import { Button, Tooltip } from "antd";
import { listSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { usePanel } from "@/shared/list/use-panel";
import { isAdmin, useSession } from "@/shared/stores/session";
import { DataTable } from "@/shared/table/DataTable";
import { Icon } from "@/shared/theme/Icon";
import { AddMembersDrawer } from "./AddMembersDrawer";
import { type GroupMember, groupQuery, membersQuery } from "./api";
import { GroupInstances } from "./GroupInstances";
import { HeldFolders } from "./HeldFolders";
import { Invitees } from "./Invitees";
import { MemberActions } from "./MemberActions";
import { MemberCard, memberColumns } from "./MemberCells";
import styles from "./MembersPage.module.css";

const panels = ["add"] as const;

export function GroupMembers({ id }: { id: number }) {
  // The server keeps the order: leaders first, then by name.
  const list = useListParams({ sort: "", order: "asc" });
  const panel = usePanel(panels);
  const members = useQuery(membersQuery(id, list));
  const group = useQuery(groupQuery(id)).data;
  const me = useSession((session) => session.id);
  const admin = useSession(isAdmin);
  const mayManage = admin || (group?.leaders.some((leader) => leader.id === me) ?? false);
  const actions = (member: GroupMember) => (
    <MemberActions
      group={id}
      groupName={group?.name ?? ""}
      member={member}
      admin={admin}
      mayManage={mayManage}
      isMe={member.user.id === me}
    />
  );
  const add = (
    <Tooltip title={mayManage ? undefined : "只有组长和管理员可以邀请成员"}>
      <Button
        type="primary"
        icon={<Icon name="plus" size={14} />}
        disabled={!mayManage}
        onClick={() => panel.show("add")}
      >
        {admin ? "添加成员" : "邀请成员"}
      </Button>
    </Tooltip>
  );
  return (
    <div className={styles.group}>
      <DataTable<GroupMember>
        id="group_members"
        label={group ? `${group.name} 的成员` : "成员"}
        unit="人"
        rowKey={(member) => member.user.id}
        columns={[
          ...memberColumns,
          { key: "actions", title: "操作", align: "right", always: true, render: actions },
        ]}
        source={listSource(members)}
        list={list}
        muted={(member) => !member.active}
        card={(member) => <MemberCard member={member} actions={actions(member)} />}
        tools={add}
        filters={{
          search: { placeholder: "姓名、用户名", value: list.q, onSearch: list.setSearch },
          active: list.active,
          onReset: list.reset,
        }}
        empty={{ icon: "users", text: "这个组还没有成员", ...(mayManage && { action: add }) }}
      />
      <AddMembersDrawer
        key={panel.opening}
        open={panel.name === "add"}
        group={id}
        name={group?.name ?? ""}
        invites={!admin}
        onClose={panel.close}
      />
      {mayManage && <Invitees group={id} />}
      {mayManage && <HeldFolders group={id} />}
      {mayManage && <GroupInstances group={id} />}
    </div>
  );
}
