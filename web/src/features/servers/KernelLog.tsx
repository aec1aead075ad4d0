// 内核日志: the newest lines of a server's kernel log, fetched on demand; for administrators.
import { useQuery } from "@tanstack/react-query";
import { Button, Switch } from "antd";
import { useId, useState } from "react";
import type { ServerView } from "@/shared/compute/api";
import { formatSize } from "@/shared/lib/numbers";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import { kernelLogQuery, type Machine, type MachineLogLine, machineQuery } from "./api";
import styles from "./KernelLog.module.css";
import { isWarning, levelLook, quotaText, uptimeText } from "./kernel-log";

interface KernelLogProps {
  server: Pick<ServerView, "id" | "name" | "state">;
  /** Whether the server's settings allow the machine helper. */
  allowed: boolean;
}

export function KernelLog({ server: { id, name, state }, allowed }: KernelLogProps) {
  const [wanted, setWanted] = useState(false);
  const [warnings, setWarnings] = useState(false);
  const label = useId();
  const enabled = wanted && state === "online";
  const log = useQuery({ ...kernelLogQuery(id), enabled });
  const machine = useQuery({ ...machineQuery(id), enabled });
  const { data, error, isFetching } = log;
  const load = () => {
    if (!wanted) setWanted(true);
    else {
      void log.refetch();
      void machine.refetch();
    }
  };
  // A kernel may log the same line twice in one millisecond, so only its position identifies a line.
  const lines = (data?.items ?? [])
    .map((line, position) => ({ ...line, position }))
    .filter((line) => !warnings || isWarning(line));
  const closed = allowed ? undefined : "服务器的设置不允许使用主机助手";
  const unreachable = state === "online" ? undefined : `${name} 没有连接`;
  const why = closed ?? unreachable;
  return (
    <Panel
      title="内核日志"
      refreshing={isFetching && data !== undefined}
      extra={
        <>
          {data && (
            <span className={styles.filter}>
              <Switch size="small" checked={warnings} onChange={setWarnings} aria-labelledby={label} />
              <span id={label}>警告及以上</span>
            </span>
          )}
          <Button
            size="small"
            icon={<Icon name="refresh" size={14} />}
            disabled={why !== undefined}
            title={why}
            loading={isFetching}
            onClick={load}
          >
            {data ? "刷新" : "读取"}
          </Button>
        </>
      }
    >
      {!data && !error && !isFetching && (
        <EmptyPanel
          icon={why ? "unlink" : "server"}
          text={why ?? "还没有读取"}
          note={closed ? "在“编辑”中允许后可用" : "读取最近 512 行，每次读取都记入操作日志"}
        />
      )}
      {!data && !error && isFetching && <TableSkeleton rows={5} rowHeight={24} />}
      {!data && error && <ErrorPanel title="内核日志没有取到" error={error} onRetry={load} />}
      {data && error && <RefreshFailed error={error} onRetry={load} />}
      {data && <MachineFacts machine={machine.data} />}
      {data && lines.length === 0 && (
        <EmptyPanel icon="server" text={warnings ? "没有警告及以上的日志" : "内核日志是空的"} />
      )}
      {lines.length > 0 && (
        <ol
          key={log.dataUpdatedAt}
          ref={showNewest}
          className={styles.lines}
          aria-label={`${name} 的内核日志`}
        >
          {data !== undefined && data.leftOut > 0 && (
            <li className={styles.more}>更早的 {data.leftOut} 行没有显示</li>
          )}
          {lines.map(({ position, ...line }) => (
            <Line key={position} line={line} />
          ))}
        </ol>
      )}
    </Panel>
  );
}

/** The newest lines, which matter most, are the last. */
function showNewest(list: HTMLOListElement | null) {
  if (list) list.scrollTop = list.scrollHeight;
}

function MachineFacts({ machine }: { machine: Machine | undefined }) {
  if (!machine) return null;
  const { uptimeMs, storage } = machine;
  const disk =
    storage &&
    `网盘所在的 ${storage.mountedAt}：${storage.kind}，剩余 ${formatSize(storage.free)}，${quotaText(storage.projectQuota)}`;
  return (
    <p className={styles.facts}>{[`已运行 ${uptimeText(uptimeMs)}`, disk].filter(Boolean).join(" · ")}</p>
  );
}

function Line({ line }: { line: MachineLogLine }) {
  const { tone, icon, label } = levelLook(line.level);
  return (
    <li>
      <TimeText time={line.time} full />
      <StateText icon={icon} tone={tone}>
        {label}
      </StateText>
      <code>{line.text}</code>
    </li>
  );
}
