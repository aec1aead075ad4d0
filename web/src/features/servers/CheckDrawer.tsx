// Checks a server: begins by itself at the first time, and gives advice on failures.
import { Button, Drawer } from "antd";
import { useEffect } from "react";
import type { ServerView } from "@/shared/compute/api";
import { drawerClose } from "@/shared/form/drawer-close";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { Checks } from "@/shared/ui/Checks";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { usePhone } from "@/shared/ui/usePhone";
import { useCheckServer } from "./api";

interface CheckDrawerProps {
  open: boolean;
  server: ServerView | undefined;
  onClose: () => void;
}

export function CheckDrawer({ open, server, onClose }: CheckDrawerProps) {
  const phone = usePhone();
  const { data, error, isPending, mutate } = useCheckServer();
  const id = server?.id;
  // Opening it requests the check.
  useEffect(() => {
    if (open && id) mutate(id);
  }, [open, id, mutate]);
  return (
    <Drawer
      title={server ? `检测 ${server.name}` : "检测服务器"}
      open={open}
      onClose={onClose}
      closable={drawerClose}
      size={phone ? "100%" : 480}
      destroyOnHidden
      styles={{ body: { padding: 0 } }}
      footer={
        <Button
          icon={<Icon name="refresh" size={14} />}
          loading={isPending}
          disabled={!id}
          onClick={() => id && mutate(id)}
        >
          重新检测
        </Button>
      }
    >
      {isPending ? (
        <TableSkeleton rows={8} rowHeight={48} />
      ) : error && id ? (
        <ErrorPanel title="没有检测成功" error={error} onRetry={() => mutate(id)} />
      ) : data ? (
        <Checks checks={data} />
      ) : (
        <EmptyPanel icon="shield" text="正在等待服务器信息" />
      )}
    </Drawer>
  );
}
