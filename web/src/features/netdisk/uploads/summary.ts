// The displayed state of the uploads: one line per entry and the sum of all. Pure.

import type { UploadEntry, UploadJob } from "./plan";
import { percentOf } from "./progress";

export type JobState = "queued" | "active" | "paused" | "conflict" | "failed" | "finished" | "skipped";

export interface TrackedJob extends UploadJob {
  state: JobState;
  loaded: number;
  /** Why it failed. */
  reason: string;
  /** The path that was taken, and which number was tried instead of it. */
  original?: string;
  number?: number;
}

export interface EntryLine extends UploadEntry {
  state: JobState;
  files: number;
  filesDone: number;
  filesFailed: number;
  size: number;
  loaded: number;
  /** Why it, or the first file in it, failed. */
  reason: string;
  /** Bytes a second. */
  speed: number;
}

export interface Totals {
  percent: number;
  size: number;
  loaded: number;
}

/** Nothing is left to do, nor to try again. */
export const isSettled = (state: JobState) => state === "finished" || state === "skipped";

/** Active states take precedence over finished ones. */
const byWeight: readonly JobState[] = ["active", "queued", "paused", "conflict", "failed"];

/** In one pass: a folder may have ten thousand files, and is rendered ten times a second. */
export function lineOf(entry: UploadEntry, jobs: Iterable<TrackedJob>): EntryLine {
  const line: EntryLine = {
    ...entry,
    state: "finished",
    files: 0,
    filesDone: 0,
    filesFailed: 0,
    size: 0,
    loaded: 0,
    reason: "",
    speed: 0,
  };
  const states = new Set<JobState>();
  let onlySkipped = true;
  for (const { state, reason, file, loaded } of jobs) {
    states.add(state);
    if (state === "failed") line.reason ||= reason;
    if (file.isDir) continue;
    if (state === "failed") line.filesFailed += 1;
    line.files += 1;
    line.size += file.size;
    line.loaded += loaded;
    if (isSettled(state)) line.filesDone += 1;
    if (state !== "skipped") onlySkipped = false;
  }
  const over = line.files > 0 && onlySkipped ? "skipped" : "finished";
  return { ...line, state: byWeight.find((state) => states.has(state)) ?? over };
}

export function totalsOf(lines: readonly EntryLine[]): Totals {
  const sum = (value: (line: EntryLine) => number) => lines.reduce((all, line) => all + value(line), 0);
  const size = sum((line) => line.size);
  const loaded = sum((line) => line.loaded);
  // Nothing but empty files: their number is all that there is to measure.
  const percent =
    size > 0
      ? percentOf(loaded, size)
      : percentOf(
          sum((line) => line.filesDone),
          sum((line) => line.files),
        );
  return { percent, size, loaded };
}
