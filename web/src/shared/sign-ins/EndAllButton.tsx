import { App, Button } from "antd";
import { useState } from "react";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { useEndAllSignIns } from "./api";

interface EndAllButtonProps {
  /** Null for the user's own devices, where the present one stays signed in. */
  user: number | null;
  disabled: boolean;
}

export function EndAllButton({ user, disabled }: EndAllButtonProps) {
  const { message } = App.useApp();
  const [asking, setAsking] = useState(false);
  const end = useEndAllSignIns(user);
  const label = user === null ? "退出其他设备" : "全部退出";

  function confirm() {
    end.mutate(undefined, {
      onSuccess: ({ ended }) => message.success(`已退出 ${ended} 台设备`, 1.5),
      onError: (error) => message.error(error.message, 2),
      onSettled: () => setAsking(false),
    });
  }

  return (
    <>
      <Button disabled={disabled} onClick={() => setAsking(true)}>
        {label}
      </Button>
      <ConfirmDanger
        open={asking}
        title={`${label}？`}
        verb="退出"
        submitting={end.isPending}
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        {user === null ? "除了本机，其他设备都" : "所有设备"}
        立即退出登录，打开的终端会断开。应用密码和访问令牌不受影响。
      </ConfirmDanger>
    </>
  );
}
