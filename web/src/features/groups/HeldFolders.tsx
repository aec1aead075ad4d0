// Running instances of former members that still have the group's folder, for its leaders and administrators. Empty
// without any.
import { useQuery } from "@tanstack/react-query";
import { App, Button, Flex } from "antd";
import { useState } from "react";
import { whenText } from "@/shared/compute/text";
import { inFull } from "@/shared/lib/person-name";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { type HeldFolder, heldFoldersQuery, useEndHeldFolder } from "./api";
import styles from "./HeldFolders.module.css";
import { HeldFolderTime } from "./HeldFolderTime";

interface HeldFoldersProps {
  /** Of this group only. */
  group?: number;
}

export function HeldFolders({ group }: HeldFoldersProps) {
  const { data, error, refetch, isFetching } = useQuery(heldFoldersQuery(group));
  const retry = () => void refetch();
  if (!data) {
    if (!error) return null;
    return (
      <Panel title="离组后仍占用组文件夹">
        <ErrorPanel title="占用组文件夹的实例没有取到" error={error} onRetry={retry} />
      </Panel>
    );
  }
  if (data.items.length === 0) return null;
  return (
    <Panel title="离组后仍占用组文件夹" extra={`${data.total} 个实例`} padded refreshing={isFetching}>
      {error && <RefreshFailed error={error} onRetry={retry} />}
      <ul aria-label="离组后仍占用组文件夹">
        {data.items.map((held) => (
          <Held key={held.id} held={held} named={group === undefined} />
        ))}
      </ul>
    </Panel>
  );
}

const words = {
  restart: {
    verb: "重启",
    lost: "正在运行的程序会结束，重启后实例里不再有这个文件夹；显卡、端口和文件都保留。",
  },
  stop: {
    verb: "停止",
    lost: "正在运行的程序会结束，显卡归还给其他人使用；容器和文件都保留，本人可以再启动。",
  },
} as const;

type How = keyof typeof words;

function Held({ held, named }: { held: HeldFolder; named: boolean }) {
  const { message } = App.useApp();
  const [asking, setAsking] = useState<How | "time" | null>(null);
  const end = useEndHeldFolder();
  const close = () => setAsking(null);
  const { owner, instance, groupName, endsAt, unmounted, problem } = held;

  function run(how: How) {
    end.mutate(
      { id: held.id, how },
      {
        onSuccess: () => message.success(`正在${words[how].verb} ${instance.name}`, 1.5),
        onError: (error) => message.error(error.message, 2),
        onSettled: close,
      },
    );
  }

  return (
    <li className={styles.row} aria-label={instance.name}>
      <span className={styles.about}>
        <b>
          {inFull(owner)} · {instance.name}
        </b>
        <small>
          {named && `${groupName}：`}
          {unmounted ? "文件夹已卸载，之前打开的文件还能读写" : `没能卸载，仍能读写：${problem}`}；
          {whenText(endsAt)} 自动停止
        </small>
      </span>
      <Flex gap={4} wrap className={styles.actions ?? ""}>
        <Button type="text" aria-label={`改 ${instance.name} 的时间`} onClick={() => setAsking("time")}>
          改时间
        </Button>
        <Button type="text" aria-label={`立即重启 ${instance.name}`} onClick={() => setAsking("restart")}>
          立即重启
        </Button>
        <Button type="text" danger aria-label={`立即停止 ${instance.name}`} onClick={() => setAsking("stop")}>
          立即停止
        </Button>
      </Flex>
      {(["restart", "stop"] as const).map((how) => (
        <ConfirmDanger
          key={how}
          open={asking === how}
          title={`${words[how].verb} ${inFull(owner)} 的实例 ${instance.name}？`}
          verb={words[how].verb}
          submitting={end.isPending}
          onConfirm={() => run(how)}
          onClose={close}
        >
          {words[how].lost}
          {inFull(owner)} 会收到通知。
        </ConfirmDanger>
      ))}
      <HeldFolderTime open={asking === "time"} held={held} onClose={close} />
    </li>
  );
}
