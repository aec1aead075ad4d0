// Actions on one member of a group.
import { App } from "antd";
import { useState } from "react";
import { useNavigate } from "react-router";
import { LeaveGroup } from "@/shared/groups/LeaveGroup";
import { stayReason } from "@/shared/groups/origins";
import { RowActions } from "@/shared/table/RowActions";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { type GroupMember, useRemoveMember, useSetLeader } from "./api";

interface MemberActionsProps {
  group: number;
  groupName: string;
  member: GroupMember;
  admin: boolean;
  /** I am an administrator or lead this group. */
  mayManage: boolean;
  isMe: boolean;
}

export function MemberActions(props: MemberActionsProps) {
  const { group, groupName, member, admin, mayManage, isMe } = props;
  const { message } = App.useApp();
  const [asking, setAsking] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const navigate = useNavigate();
  const remove = useRemoveMember();
  const leader = useSetLeader();
  const { user } = member;
  const name = user.name || user.username;

  function removeReason(): string | undefined {
    if (!mayManage) return "只有组长和管理员可以移出成员";
    return member.leader && !admin ? "组长只能由管理员移出" : undefined;
  }

  function toggleLeader() {
    leader.mutate(
      { group, user: user.id, leader: !member.leader },
      {
        onSuccess: () => message.success(!member.leader ? `${name} 现在是组长` : `${name} 不再是组长`, 1.5),
        onError: (error) => message.error(error.message, 2),
      },
    );
  }

  return (
    <>
      <RowActions
        name={user.username}
        more={[
          {
            key: "leader",
            label: member.leader ? "取消组长" : "设为组长",
            onClick: toggleLeader,
            disabledReason: admin ? undefined : "组长由管理员指定",
          },
          {
            key: "remove",
            label: "移出",
            danger: true,
            onClick: () => setAsking(true),
            disabledReason: removeReason(),
          },
          ...(isMe
            ? [
                {
                  key: "leave",
                  label: "退出用户组",
                  danger: true,
                  onClick: () => setLeaving(true),
                  disabledReason: stayReason(member.origin),
                },
              ]
            : []),
        ]}
      />
      <ConfirmDanger
        open={asking}
        title={`把 ${name} 移出这个组？`}
        verb="移出"
        submitting={remove.isPending}
        onClose={() => setAsking(false)}
        onConfirm={() =>
          remove.mutate(
            { group, user: user.id },
            {
              onSuccess: () => message.success(`已移出 ${name}`, 1.5),
              onError: (error) => message.error(error.message, 2),
              onSettled: () => setAsking(false),
            },
          )
        }
      >
        {name} 不再看到这个组的共享文件夹，它也会从 {name}{" "}
        运行中的实例里卸载；正在使用而卸载不了的，列在这一页下方， 默认 24
        小时后停止。账号和个人文件不受影响，之后可以再加入。
      </ConfirmDanger>
      <LeaveGroup
        open={leaving}
        group={{ id: group, name: groupName }}
        onClose={() => setLeaving(false)}
        // The address may name the group, which is not mine to see any more.
        onLeft={() => navigate("/users/groupmember_list", { replace: true })}
      />
    </>
  );
}
