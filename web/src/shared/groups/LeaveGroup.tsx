// The confirmation before the user leaves a group.
import { App } from "antd";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { useLeaveGroup } from "./api";

interface LeaveGroupProps {
  open: boolean;
  group: { id: number; name: string };
  onClose: () => void;
  onLeft?: () => void;
}

export function LeaveGroup({ open, group, onClose, onLeft }: LeaveGroupProps) {
  const { message } = App.useApp();
  const leave = useLeaveGroup();
  return (
    <ConfirmDanger
      open={open}
      title={`退出用户组 ${group.name}？`}
      verb="退出"
      submitting={leave.isPending}
      onClose={onClose}
      onConfirm={() =>
        leave.mutate(group.id, {
          onSuccess: () => {
            message.success(`已退出用户组 ${group.name}`, 1.5);
            onLeft?.();
          },
          onError: (error) => message.error(error.message, 2),
          onSettled: onClose,
        })
      }
    >
      你不再能使用这个组的共享文件夹（运行中的实例里也会卸载，请先保存好工作）、分配给它的服务器和组内可见的镜像、数据集；组长不再看到你的实例和工单。账号和个人文件不受影响。想回来要由组长重新邀请。
    </ConfirmDanger>
  );
}
