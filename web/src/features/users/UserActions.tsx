// The actions on an account, in its row or on its card.
import { App } from "antd";
import { useState } from "react";
import { useNavigate } from "react-router";
import { RowActions } from "@/shared/table/RowActions";
import { type User, useEndGrant, useSetActive, useSetLeader } from "./api";
import { DisableDialog } from "./DisableDialog";
import { leavingAddress } from "./names";
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
}

export function UserActions({ user, me, compact, onEdit, onPassword, onSignIns }: UserActionsProps) {
  const { message } = App.useApp();
  const navigate = useNavigate();
  const [disabling, setDisabling] = useState(false);
  const activate = useSetActive();
  const leader = useSetLeader();
  const endGrant = useEndGrant();
  const failed = (error: { message: string }) => message.error(error.message, 2);

  function enable() {
    activate.mutate(
      { ids: [user.id], active: true },
      { onSuccess: () => message.success(`已启用 ${user.username}`, 1.5), onError: failed },
    );
  }

  function endQuotas(keep: boolean) {
    endGrant.mutate(
      { id: user.id, keep },
      {
        onSuccess: () => message.success(keep ? "临时配额已改为长期有效" : "已恢复原来的配额", 1.5),
        onError: failed,
      },
    );
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
                onClick: () => setDisabling(true),
                disabledReason: selfReason(user, me, "禁用"),
              }
            : { key: "enable", label: "启用", onClick: enable },
          ...(user.temporaryQuotas
            ? [
                { key: "quotas-end", label: "恢复原来的配额", onClick: () => endQuotas(false) },
                { key: "quotas-keep", label: "临时配额改为长期", onClick: () => endQuotas(true) },
              ]
            : []),
          {
            key: "leave",
            label: "离开并删除",
            danger: true,
            onClick: () => void navigate(leavingAddress([user])),
            disabledReason: selfReason(user, me, "删除"),
          },
        ]}
      />
      <DisableDialog open={disabling} users={[user]} onClose={() => setDisabling(false)} />
    </>
  );
}
