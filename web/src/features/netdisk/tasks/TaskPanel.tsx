// What the storage host is doing for this person, above the transfers: how far it is, and a way to end it.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { App, Button } from "antd";
import { useEffect, useRef } from "react";
import { readLocal } from "@/shared/lib/local-items";
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { Icon } from "@/shared/theme/Icon";
import { StateText } from "@/shared/ui/StateText";
import { netdiskKey } from "../api";
import { nameOf, shownName } from "../disk-paths";
import { percentOf } from "../uploads/progress";
import { isOpen, type Task, tasksQuery, useEndTask } from "./api";
import styles from "./TaskPanel.module.css";
import { useTaskWatch } from "./watch";

const verbs: Record<Task["kind"], string> = {
  copy: "复制",
  move: "移动",
  extract: "解压",
  compress: "压缩",
};

export function TaskPanel() {
  const host = readLocal("storageHost") || "/disk";
  const { watching } = useTaskWatch();
  const { data } = useQuery({ ...tasksQuery(host), enabled: watching });
  const end = useEndTask(host);
  useTaskNews(data);
  if (!data || data.length === 0) return null;
  return (
    <aside className={styles.panel} aria-label="后台任务">
      <ul>
        {data.map((task) => (
          <TaskRow key={task.id} task={task} onEnd={() => end.mutate(task.id)} />
        ))}
      </ul>
    </aside>
  );
}

/** Says when something has ended, and has the lists fetched again. */
function useTaskNews(tasks: readonly Task[] | undefined) {
  const { message } = App.useApp();
  const client = useQueryClient();
  // What had ended before this page looked is no news; what ended between two looks is.
  const told = useRef<Set<string> | null>(null);
  useEffect(() => {
    if (!tasks) return;
    const over = tasks.filter((task) => !isOpen(task));
    const before = told.current;
    told.current = new Set(over.map(({ id }) => id));
    if (!before) return;
    for (const { id, kind, source, state } of over) {
      if (before.has(id)) continue;
      const words = `${verbs[kind]} ${shownName(nameOf(source))}`;
      if (state === "done") message.success(`${words} 已完成`, 1.5);
      if (state === "failed") message.error(`${words} 失败`, 2);
      void client.invalidateQueries({ queryKey: netdiskKey });
    }
  }, [tasks, message, client]);
}

function TaskRow({ task, onEnd }: { task: Task; onEnd: () => void }) {
  const name = shownName(nameOf(task.source));
  const words = `${verbs[task.kind]} ${name}`;
  const running = isOpen(task);
  const percent = percentOf(task.bytesDone, task.bytesTotal);
  return (
    <li className={styles.task}>
      <Icon name={running ? "progress" : "folder"} spin={running} />
      <span className={styles.words} title={`${task.source} → ${task.destination}`}>
        {words}
      </span>
      <Button
        type="text"
        icon={<Icon name="close" size={14} />}
        aria-label={running ? `取消 ${words}` : `移除 ${words}`}
        title={running ? "取消" : "移除"}
        onClick={onEnd}
      />
      {running && (
        <div
          className={styles.track}
          role="progressbar"
          aria-label={`${words} 的进度`}
          aria-valuenow={percent}
        >
          <div style={{ width: `${percent}%` }} />
        </div>
      )}
      <span className={styles.note}>
        <TaskNote task={task} />
      </span>
    </li>
  );
}

function TaskNote({ task }: { task: Task }) {
  const { state, bytesDone, bytesTotal, entriesDone, entriesSkipped } = task;
  const entries = `${formatCount(entriesDone)} 项`;
  switch (state) {
    case "queued":
      return "排队中";
    case "done":
      return (
        <StateText icon="success" tone="success">
          {`已完成 · ${entries}${entriesSkipped > 0 ? `，跳过 ${formatCount(entriesSkipped)} 项` : ""}`}
        </StateText>
      );
    case "failed":
      return (
        <StateText icon="alert" tone="error">
          {`失败：${task.error ?? ""}`}
        </StateText>
      );
    case "cancelled":
      return (
        <StateText icon="minus" tone="off">
          已取消
        </StateText>
      );
    default:
      return `${entries} · ${formatSize(bytesDone)}${bytesTotal > 0 ? ` / ${formatSize(bytesTotal)}` : ""}`;
  }
}
