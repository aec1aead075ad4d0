// Removes a server. One that no longer answers can be given up, with its instances.
import { App, Checkbox, Flex } from "antd";
import { useState } from "react";
import type { ServerView } from "@/shared/compute/api";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { useRemoveServer } from "./api";

interface RemoveServerProps {
  server: ServerView;
  open: boolean;
  onClose: () => void;
}

export function RemoveServer({ server: { id, name, state }, open, onClose }: RemoveServerProps) {
  const { message } = App.useApp();
  const [givenUp, setGivenUp] = useState(false);
  const remove = useRemoveServer();
  function close() {
    setGivenUp(false);
    onClose();
  }
  return (
    <ConfirmDanger
      open={open}
      title={`移除服务器 ${name}？`}
      verb="移除"
      shortName={name}
      submitting={remove.isPending}
      onConfirm={() =>
        remove.mutate(
          { id, givenUp },
          {
            onSuccess: () => message.success(`已移除 ${name}`, 1.5),
            onError: (error) => message.error(error.message, 2),
            onSettled: close,
          },
        )
      }
      onClose={close}
    >
      <Flex vertical gap={8}>
        <div>
          服务器的记录、分配和卡的用量记录会被删除，不能恢复。它的引擎和上面的容器不会被改动；还有实例的服务器不能移除。
        </div>
        {(state === "unreachable" || state === "disabled") && (
          <Checkbox checked={givenUp} onChange={({ target }) => setGivenUp(target.checked)}>
            服务器不会再恢复：上面的实例算作已释放，容器里的文件不能再取回
          </Checkbox>
        )}
      </Flex>
    </ConfirmDanger>
  );
}
