// What there is to tell when the tasks are looked at again. Pure.
import { isOpen, type Task } from "./api";

export interface TaskNews {
  done: Task[];
  failed: Task[];
  cancelled: Task[];
  /** They were not over and are not known any more: the storage host was started afresh. */
  lost: Task[];
}

/** What had ended before the first look is no news; what came and ended between two looks is. */
export function newsOf(before: readonly Task[], now: readonly Task[]): TaskNews {
  const knownOver = new Set(before.filter((task) => !isOpen(task)).map(({ id }) => id));
  const ended = now.filter((task) => !isOpen(task) && !knownOver.has(task.id));
  const inState = (state: Task["state"]) => ended.filter((task) => task.state === state);
  const here = new Set(now.map(({ id }) => id));
  return {
    done: inState("done"),
    failed: inState("failed"),
    cancelled: inState("cancelled"),
    lost: before.filter((task) => isOpen(task) && !here.has(task.id)),
  };
}
