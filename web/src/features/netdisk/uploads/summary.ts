// What the pages see of the uploads: one line an entry and the sum of all. Pure.

import type { UploadEntry, UploadJob } from "./plan";
import { percentOf } from "./progress";

export type JobState = "queued" | "active" | "paused" | "conflict" | "failed" | "finished" | "skipped";

export interface TrackedJob extends UploadJob {
  state: JobState;
  loaded: number;
  /** Why it failed. */
  reason: string;
}

export interface EntryLine extends UploadEntry {
  state: JobState;
  files: number;
  filesDone: number;
  filesFailed: number;
  size: number;
  loaded: number;
  reason: string;
  /** Bytes a second. */
  speed: number;
}

export interface Totals {
  percent: number;
  size: number;
  loaded: number;
}

const settled = (state: JobState) => state === "finished" || state === "skipped";

function stateOf(jobs: readonly TrackedJob[]): JobState {
  const has = (state: JobState) => jobs.some((job) => job.state === state);
  if (has("active")) return "active";
  if (has("queued")) return "queued";
  if (has("paused")) return "paused";
  if (has("conflict")) return "conflict";
  if (has("failed")) return "failed";
  const files = jobs.filter((job) => !job.file.isDir);
  return files.length > 0 && files.every((job) => job.state === "skipped") ? "skipped" : "finished";
}

function lineOf(entry: UploadEntry, jobs: readonly TrackedJob[]): EntryLine {
  const files = jobs.filter((job) => !job.file.isDir);
  const failed = jobs.filter((job) => job.state === "failed");
  return {
    ...entry,
    state: stateOf(jobs),
    files: files.length,
    filesDone: files.filter((job) => settled(job.state)).length,
    filesFailed: failed.length,
    size: files.reduce((sum, job) => sum + job.file.size, 0),
    loaded: files.reduce((sum, job) => sum + job.loaded, 0),
    reason: failed[0]?.reason ?? "",
    speed: 0,
  };
}

export function linesOf(entries: Iterable<UploadEntry>, jobs: Iterable<TrackedJob>): EntryLine[] {
  const byEntry = new Map<string, TrackedJob[]>();
  for (const job of jobs) {
    const known = byEntry.get(job.entry);
    if (known) known.push(job);
    else byEntry.set(job.entry, [job]);
  }
  return Array.from(entries, (entry) => lineOf(entry, byEntry.get(entry.id) ?? []));
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
