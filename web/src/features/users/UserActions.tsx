// What can be done with one account, in its row or on its card.
import { App } from "antd";
import { useState } from "react";
import { RowActions } from "@/shared/table/RowActions";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { type User, useDeleteUsers, useSetActive, useSetLeader } from "./api";
import { DisableDialog } from "./DisableDialog";
import { selfReason } from "./status";

interface UserActionsProps {
  user: User;
  /** The signed-in administrator. */
  me: number;
  /** Everything under ⋯, for a card. */
  compact: boolean;
  onEdit: () => void;
  onPassword: () => void;
  onSignIns: () => void;
  /** The account has been deleted. */
  onGone: () => void;
}

export function UserActions({ user, me, compact, onEdit, onPassword, onSignIns, onGone }: UserActionsProps) {
  const { message } = App.useApp();
  const [asking, setAsking] = useState<"disable" | "delete" | null>(null);
  const activate = useSetActive();
  const leader = useSetLeader();
  const remove = useDeleteUsers();
  const failed = (error: { message: string }) => message.error(error.message, 2);
  const close = () => setAsking(null);

  function enable() {
    activate.mutate(
      { ids: [user.id], active: true },
      { onSuccess: () => message.success(`已启用 ${user.username}`, 1.5), onError: failed },
    );
  }

  function deleteUser() {
    remove.mutate([user], {
      onSuccess: ({ failed: [first] }) => {
        if (first) failed(first.error);
        else {
          message.success(`已删除用户 ${user.username}`, 1.5);
          onGone();
        }
      },
      onSettled: close,
    });
  }

  function setLeader() {
    leader.mutate({ id: user.id, groupLeader: !user.groupLeader }, { onError: failed });
  }

  const edit = { key: "edit", label: "编辑", onClick: onEdit };
  return (
    <>
      <RowActions
        name={user.username}
        first={compact ? [] : [edit]}
        more={[
          ...(compact ? [edit] : []),
          {
            key: "password",
            label: "重置密码",
            onClick: onPassword,
            disabledReason: user.source === "ldap" ? "密码由 LDAP 管理" : undefined,
          },
          { key: "sign-ins", label: "登录设备", onClick: onSignIns },
          {
            key: "leader",
            label: user.groupLeader ? "取消组长" : "设为组长",
            onClick: setLeader,
          },
          user.active
            ? {
                key: "disable",
                label: "禁用",
                onClick: () => setAsking("disable"),
                disabledReason: selfReason(user, me, "禁用"),
              }
            : { key: "enable", label: "启用", onClick: enable },
          {
            key: "delete",
            label: "删除",
            danger: true,
            onClick: () => setAsking("delete"),
            disabledReason: selfReason(user, me, "删除"),
          },
        ]}
      />
      <DisableDialog open={asking === "disable"} users={[user]} onClose={close} />
      <ConfirmDanger
        open={asking === "delete"}
        title={`删除用户 ${user.username}？`}
        verb="删除"
        shortName={user.username}
        submitting={remove.isPending}
        onConfirm={deleteUser}
        onClose={close}
      >
        账号、配额和组成员身份会被删除，不能恢复；{user.name || user.username} 会立即退出登录。网盘上 home/
        {user.username} 里的文件和日志记录保留。
      </ConfirmDanger>
    </>
  );
}
