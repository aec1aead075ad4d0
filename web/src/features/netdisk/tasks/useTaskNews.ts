// Reports ended tasks, and refetches the lists.
import { useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { useEffect, useRef } from "react";
import { netdiskKey } from "../api";
import type { Task } from "./api";
import { newsOf } from "./news";
import { taskFault, taskTitle } from "./words";

/** One by its name, several by their number: a hundred messages would not be read. */
const named = (tasks: readonly Task[]) =>
  tasks.length === 1 && tasks[0] ? taskTitle(tasks[0]) : `${tasks.length} 个后台任务`;

export function useTaskNews(tasks: readonly Task[] | undefined) {
  const { message } = App.useApp();
  const client = useQueryClient();
  const seen = useRef<readonly Task[] | null>(null);
  useEffect(() => {
    if (!tasks) return;
    const before = seen.current;
    seen.current = tasks;
    if (!before) return;
    const { done, failed, cancelled, lost } = newsOf(before, tasks);
    if (done.length > 0) message.success(`${named(done)} 已完成`, 1.5);
    const [first] = failed;
    if (first) message.error(`${named(failed)} 失败：${taskFault(first)}`, 2);
    if (lost.length > 0) message.error(`${named(lost)} 中断了：存储服务器重新启动过`, 2);
    if (done.length + failed.length + cancelled.length + lost.length > 0)
      void client.invalidateQueries({ queryKey: netdiskKey });
  }, [tasks, message, client]);
}
