// The actions on several accounts. Failed ones stay selected and are reported by name.
import { App, Button } from "antd";
import { useState } from "react";
import { useNavigate } from "react-router";
import { type EachResult, type User, useSetActive } from "./api";
import { DisableDialog } from "./DisableDialog";
import { leavingAddress } from "./names";

interface UserBatchProps {
  users: readonly User[];
  me: number;
  onQuotas: () => void;
  /** Receives the accounts that remain. */
  onDone: (left: readonly User[]) => void;
}

export function UserBatch({ users, me, onQuotas, onDone }: UserBatchProps) {
  const { message } = App.useApp();
  const navigate = useNavigate();
  const [disabling, setDisabling] = useState(false);
  const activate = useSetActive();
  const withSelf = users.some((user) => user.id === me);
  const reason = (verb: string) => (withSelf ? `选择里有自己的账号，不能${verb}` : undefined);

  function enable() {
    activate.mutate(
      { ids: users.map((user) => user.id), active: true },
      {
        onSuccess: ({ changed }) => {
          message.success(`已启用 ${changed} 人`, 1.5);
          onDone([]);
        },
        onError: (error) => message.error(error.message, 2),
      },
    );
  }

  return (
    <>
      <Button size="small" loading={activate.isPending} onClick={enable}>
        启用
      </Button>
      <Button size="small" disabled={withSelf} title={reason("禁用")} onClick={() => setDisabling(true)}>
        禁用
      </Button>
      <Button size="small" onClick={onQuotas}>
        调整配额
      </Button>
      <Button
        size="small"
        danger
        disabled={withSelf}
        title={reason("删除")}
        onClick={() => void navigate(leavingAddress(users))}
      >
        离开并删除
      </Button>
      <DisableDialog
        open={disabling}
        users={users}
        onClose={() => setDisabling(false)}
        onDone={() => onDone([])}
      />
    </>
  );
}

export function failures({ done, failed }: EachResult): string {
  const each = failed.map(({ user, error }) => `${user.username}：${error.message}`);
  return `${done.length} 人成功，${failed.length} 人失败。${each.join("；")}`;
}
