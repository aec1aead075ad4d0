// The news between two fetches of the tasks. Pure.
import { isOpen, type Task } from "./api";

export interface TaskNews {
  done: Task[];
  failed: Task[];
  cancelled: Task[];
  /** Interrupted by a restart of the storage host: reported by it, or missing. */
  lost: Task[];
}

const wasInterrupted = ({ error }: Task) => error?.endsWith("(interrupted by a restart)") ?? false;

/** A task that had ended before the first fetch is no news; one that began and ended between two fetches is. */
export function newsOf(before: readonly Task[], now: readonly Task[]): TaskNews {
  const knownOver = new Set(before.filter((task) => !isOpen(task)).map(({ id }) => id));
  const ended = now.filter((task) => !isOpen(task) && !knownOver.has(task.id));
  const inState = (state: Task["state"]) => ended.filter((task) => task.state === state);
  const here = new Set(now.map(({ id }) => id));
  const failed = inState("failed");
  const vanished = before.filter((task) => isOpen(task) && !here.has(task.id));
  return {
    done: inState("done"),
    failed: failed.filter((task) => !wasInterrupted(task)),
    cancelled: inState("cancelled"),
    lost: [...vanished, ...failed.filter(wasInterrupted)],
  };
}
