// What can be done with several accounts at once. What fails stays selected and is reported by name.
import { App, Button } from "antd";
import { useState } from "react";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { type EachResult, type User, useDeleteUsers, useSetActive } from "./api";
import { DisableDialog } from "./DisableDialog";
import { namesOf } from "./names";

interface UserBatchProps {
  users: readonly User[];
  me: number;
  onQuotas: () => void;
  /** Tells which accounts are still to be dealt with. */
  onDone: (left: readonly User[]) => void;
}

export function UserBatch({ users, me, onQuotas, onDone }: UserBatchProps) {
  const { message } = App.useApp();
  const [asking, setAsking] = useState<"disable" | "delete" | null>(null);
  const activate = useSetActive();
  const remove = useDeleteUsers();
  const close = () => setAsking(null);
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

  function deleteAll() {
    remove.mutate(users, {
      onSuccess: (result) => {
        if (result.failed.length === 0) message.success(`已删除 ${result.done.length} 人`, 1.5);
        else message.error(failures(result), 2);
        onDone(result.failed.map(({ user }) => user));
      },
      onSettled: close,
    });
  }

  return (
    <>
      <Button size="small" loading={activate.isPending} onClick={enable}>
        启用
      </Button>
      <Button size="small" disabled={withSelf} title={reason("禁用")} onClick={() => setAsking("disable")}>
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
        onClick={() => setAsking("delete")}
      >
        删除
      </Button>
      <DisableDialog open={asking === "disable"} users={users} onClose={close} onDone={() => onDone([])} />
      <ConfirmDanger
        open={asking === "delete"}
        title={`删除 ${users.length} 个用户？`}
        verb="删除"
        shortName={`删除 ${users.length} 人`}
        submitting={remove.isPending}
        onConfirm={deleteAll}
        onClose={close}
      >
        {namesOf(users)} 的账号、配额和组成员身份会被删除，不能恢复。网盘上的文件和日志记录保留。
      </ConfirmDanger>
    </>
  );
}

export function failures({ done, failed }: EachResult): string {
  const each = failed.map(({ user, error }) => `${user.username}：${error.message}`);
  return `${done.length} 人成功，${failed.length} 人失败。${each.join("；")}`;
}
