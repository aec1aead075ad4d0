import { expect, it } from "vitest";
import type { Task } from "./api";
import { newsOf } from "./news";
import { taskFault, taskTitle } from "./words";

const task = (id: string, state: Task["state"], part: Partial<Task> = {}): Task => ({
  id,
  state,
  kind: "copy",
  source: "/home/a",
  destination: "/home/b",
  bytesDone: 0,
  bytesTotal: 0,
  entriesDone: 0,
  entriesSkipped: 0,
  created: "2026-11-20T10:00:00.000Z",
  ...part,
});

const ids = (tasks: readonly Task[]) => tasks.map(({ id }) => id);

it("tells what has ended since the last look, also what began after it, and nothing twice", () => {
  const before = [
    task("over", "done"),
    task("runs", "running"),
    task("waits", "queued"),
    task("ends", "running"),
  ];
  const now = [
    task("over", "done"),
    task("runs", "running"),
    task("waits", "failed"),
    task("ends", "cancelled"),
    task("quick", "done"),
  ];
  const { done, failed, cancelled, lost } = newsOf(before, now);
  expect([ids(done), ids(failed), ids(cancelled), ids(lost)]).toEqual([["quick"], ["waits"], ["ends"], []]);
});

it("misses what was not over, not what was removed", () => {
  expect(ids(newsOf([task("runs", "running"), task("over", "done")], []).lost)).toEqual(["runs"]);
});

it("names what is worked on, and why it failed", () => {
  expect(taskTitle(task("1", "running", { kind: "move", source: "/home/数据 #1/" }))).toBe("移动 数据 #1");
  const packing = { kind: "compress", source: "/home/", destination: "/home/all.zip" } as const;
  expect(taskTitle(task("1", "running", packing))).toBe("压缩为 all.zip");
  expect(
    taskFault(
      task("1", "failed", { error: "507 Insufficient Storage (quota exceeded)", reason: "quota_exceeded" }),
    ),
  ).toBe("超出网盘配额");
});

it("tells what a restart broke off as such, not as a failure of its own", () => {
  const error = "409 Conflict (interrupted by a restart)";
  const { failed, lost } = newsOf(
    [task("killed", "running"), task("old", "queued")],
    [
      task("killed", "failed", { error }),
      task("full", "failed", { error: "507 Insufficient Storage (disk full)" }),
    ],
  );
  expect([ids(failed), ids(lost)]).toEqual([["full"], ["old", "killed"]]);
});
