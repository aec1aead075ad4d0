// Administrators' actions on one server.
import { App } from "antd";
import { useState } from "react";
import type { ServerView } from "@/shared/compute/api";
import { RowActions } from "@/shared/table/RowActions";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { useChangeServer } from "./api";
import { RemoveServer } from "./RemoveServer";

type Panel = "edit" | "check" | "gpus" | "maintenance";

interface ServerActionsProps {
  server: ServerView;
  /** Everything under ⋯, for a card. */
  compact: boolean;
  onPanel: (panel: Panel) => void;
}

export function ServerActions({ server, compact, onPanel }: ServerActionsProps) {
  const { message } = App.useApp();
  const [asking, setAsking] = useState<"disable" | "remove" | null>(null);
  const change = useChangeServer();
  const failed = (error: { message: string }) => message.error(error.message, 2);
  const close = () => setAsking(null);
  const enabled = server.manage?.enabled ?? true;

  function set(part: { enabled: boolean } | { schedulable: boolean; maintenanceNote: string }, done: string) {
    change.mutate(
      { id: server.id, change: part },
      { onSuccess: () => message.success(done, 1.5), onError: failed, onSettled: close },
    );
  }

  const written = [
    { key: "check", label: "检测", onClick: () => onPanel("check") },
    { key: "edit", label: "编辑", onClick: () => onPanel("edit") },
  ];
  return (
    <>
      <RowActions
        name={server.name}
        first={compact ? [] : written}
        more={[
          ...(compact ? written : []),
          { key: "gpus", label: "显卡", onClick: () => onPanel("gpus") },
          server.schedulable
            ? { key: "maintenance", label: "进入维护", onClick: () => onPanel("maintenance") }
            : {
                key: "schedule",
                label: "结束维护",
                onClick: () => set({ schedulable: true, maintenanceNote: "" }, `${server.name} 已结束维护`),
              },
          enabled
            ? { key: "disable", label: "停用", onClick: () => setAsking("disable") }
            : {
                key: "enable",
                label: "启用",
                onClick: () => set({ enabled: true }, `已启用 ${server.name}`),
              },
          {
            key: "remove",
            label: "移除",
            danger: true,
            onClick: () => setAsking("remove"),
            disabledReason: server.local ? "本机的引擎不能移除，可以停用" : undefined,
          },
        ]}
      />
      <ConfirmDanger
        open={asking === "disable"}
        title={`停用服务器 ${server.name}？`}
        verb="停用"
        submitting={change.isPending}
        onConfirm={() => set({ enabled: false }, `已停用 ${server.name}`)}
        onClose={close}
      >
        平台不再连接它的引擎：不能创建、启动或停止那里的实例，状态也不再更新。容器不会被改动，之后可以再启用。
      </ConfirmDanger>
      <RemoveServer server={server} open={asking === "remove"} onClose={close} />
    </>
  );
}
