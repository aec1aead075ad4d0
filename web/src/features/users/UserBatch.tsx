// What can be done with several accounts at once. What fails stays selected and is reported by name.
import { App, Button } from "antd";
import { useState } from "react";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { type EachResult, type User, useDeleteUsers, useSetActive } from "./api";

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

  function setActive(active: boolean) {
    activate.mutate(
      { ids: users.map((user) => user.id), active },
      {
        onSuccess: ({ changed }) => {
          message.success(`${active ? "已启用" : "已禁用"} ${changed} 人`, 1.5);
          onDone([]);
        },
        onError: (error) => message.error(error.message, 2),
        onSettled: close,
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
      <Button size="small" loading={activate.isPending && !asking} onClick={() => setActive(true)}>
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
      <ConfirmDanger
        open={asking === "disable"}
        title={`禁用 ${users.length} 个用户？`}
        verb="禁用"
        submitting={activate.isPending}
        onConfirm={() => setActive(false)}
        onClose={close}
      >
        {names(users)} 会立即退出登录，之后不能再登录。账号、配额和网盘文件都保留，可以随时再启用。
      </ConfirmDanger>
      <ConfirmDanger
        open={asking === "delete"}
        title={`删除 ${users.length} 个用户？`}
        verb="删除"
        shortName={`删除 ${users.length} 人`}
        submitting={remove.isPending}
        onConfirm={deleteAll}
        onClose={close}
      >
        {names(users)} 的账号、配额和组成员身份会被删除，不能恢复。网盘上的文件和日志记录保留。
      </ConfirmDanger>
    </>
  );
}

/** The first few by name, the rest as a number. */
function names(users: readonly User[]): string {
  const shown = users.slice(0, 5).map((user) => user.username);
  return users.length > 5 ? `${shown.join("、")} 等 ${users.length} 人` : shown.join("、");
}

export function failures({ done, failed }: EachResult): string {
  const each = failed.map(({ user, error }) => `${user.username}：${error.message}`);
  return `${done.length} 人成功，${failed.length} 人失败。${each.join("；")}`;
}
