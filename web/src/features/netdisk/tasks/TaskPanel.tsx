// The user's tasks on the storage host, above the transfers: their progress, and buttons to cancel them.
import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { useRef, useState } from "react";
import { trustedStorageHost } from "@/shared/api/public-settings";
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { Icon } from "@/shared/theme/Icon";
import { StateText } from "@/shared/ui/StateText";
import { percentOf } from "../uploads/progress";
import { usePanelHeight } from "../usePanelHeight";
import { isOpen, type Task, tasksQuery, useEndTasks } from "./api";
import styles from "./TaskPanel.module.css";
import { useTaskNews } from "./useTaskNews";
import { useTaskWatch } from "./watch";
import { taskFault, taskTitle } from "./words";

export function TaskPanel() {
  const host = trustedStorageHost();
  const { watching } = useTaskWatch();
  const { data } = useQuery({ ...tasksQuery(host), enabled: watching });
  const { message } = App.useApp();
  const end = useEndTasks(host);
  const [unfolded, setUnfolded] = useState(true);
  const panel = useRef<HTMLElement>(null);
  useTaskNews(data);
  usePanelHeight(panel, "--task-height", data !== undefined && data.length > 0);
  if (!data || data.length === 0) return null;
  const over = data.filter((task) => !isOpen(task)).map(({ id }) => id);
  const open = data.length - over.length;
  const remove = (ids: readonly string[]) =>
    end.mutate(ids, { onError: (error) => message.error(`没有成功：${error.message}`, 2) });
  return (
    <aside ref={panel} className={styles.panel} aria-label="后台任务">
      <header className={styles.head}>
        <b>后台任务</b>
        <span className={styles.note}>{open > 0 ? `${formatCount(open)} 项未完成` : "都已结束"}</span>
        {over.length > 0 && (
          <Button type="text" size="small" onClick={() => remove(over)}>
            清除已结束的
          </Button>
        )}
        <Button
          type="text"
          icon={<Icon name={unfolded ? "down" : "up"} size={14} />}
          aria-label={unfolded ? "收起任务列表" : "展开任务列表"}
          aria-expanded={unfolded}
          onClick={() => setUnfolded(!unfolded)}
        />
      </header>
      {unfolded && (
        <ul>
          {data.map((task) => (
            <TaskRow key={task.id} task={task} onEnd={() => remove([task.id])} />
          ))}
        </ul>
      )}
    </aside>
  );
}

function TaskRow({ task, onEnd }: { task: Task; onEnd: () => void }) {
  const words = taskTitle(task);
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
  // A move in one step processes no entries.
  const entries = entriesDone > 0 && `${formatCount(entriesDone)} 项`;
  const size = `${formatSize(bytesDone)}${isOpen(task) && bytesTotal > 0 ? ` / ${formatSize(bytesTotal)}` : ""}`;
  switch (state) {
    case "queued":
      return "排队中";
    case "done":
      return (
        <StateText icon="success" tone="success">
          {`已完成 · ${entries || size}${entriesSkipped > 0 ? `，跳过 ${formatCount(entriesSkipped)} 项` : ""}`}
        </StateText>
      );
    case "failed":
      return (
        <StateText icon="alert" tone="error">
          {`失败：${taskFault(task)}`}
        </StateText>
      );
    case "cancelled":
      return (
        <StateText icon="minus" tone="off">
          已取消
        </StateText>
      );
    default:
      return [entries, size].filter(Boolean).join(" · ");
  }
}
