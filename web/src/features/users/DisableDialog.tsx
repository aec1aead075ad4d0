// Disables accounts: their running instances are listed, and stopped unless that is unticked.
import { App } from "antd";
import { useState } from "react";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { type User, useSetActive } from "./api";
import { HoldingsList } from "./HoldingsList";
import { namesOf } from "./names";

interface DisableDialogProps {
  open: boolean;
  users: readonly User[];
  onClose: () => void;
  /** The accounts have been disabled. */
  onDone?: () => void;
}

export function DisableDialog({ open, users, onClose, onDone }: DisableDialogProps) {
  const { message } = App.useApp();
  const [stop, setStop] = useState(true);
  const activate = useSetActive();
  const [one] = users.length === 1 ? users : [];

  function close() {
    // Each time it opens, the safe choice is made already.
    setStop(true);
    onClose();
  }

  function disable() {
    activate.mutate(
      { ids: users.map((user) => user.id), active: false, stopInstances: stop },
      {
        onSuccess: ({ changed, stoppedInstances }) => {
          const who = one ? ` ${one.username}` : ` ${changed} 人`;
          const stopping = stoppedInstances > 0 ? `，正在停止 ${stoppedInstances} 个实例` : "";
          message.success(`已禁用${who}${stopping}`, 1.5);
          onDone?.();
        },
        onError: (error) => message.error(error.message, 2),
        onSettled: close,
      },
    );
  }

  return (
    <ConfirmDanger
      open={open}
      title={one ? `禁用用户 ${one.username}？` : `禁用 ${users.length} 个用户？`}
      verb="禁用"
      submitting={activate.isPending}
      onConfirm={disable}
      onClose={close}
    >
      <p style={{ margin: "0 0 12px" }}>
        {one ? one.name || one.username : namesOf(users)}{" "}
        会立即退出登录，之后不能再登录。账号、配额和网盘文件都保留，可以随时再启用。
      </p>
      {open && <HoldingsList users={users} stop={stop} onStop={setStop} />}
    </ConfirmDanger>
  );
}
