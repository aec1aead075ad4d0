// The upload queue: queued → active → finished, five at once. It knows neither React nor the network; a transport
// sends, and `publish` gets the displayed state, at most once in 100 ms.

import { nameOf } from "../disk-paths";
import { type Existing, numbered } from "./existing";
import type { UploadEntry, UploadJob, UploadPlan } from "./plan";
import { addSample, type Sample, speedOf } from "./progress";
import {
  type EntryLine,
  isSettled,
  type JobState,
  lineOf,
  type Totals,
  type TrackedJob,
  totalsOf,
} from "./summary";

const atOnce = 5;
export const throttleMs = 100;

export type Outcome =
  | { kind: "finished" }
  /** Something of this name is there. */
  | { kind: "conflict" }
  /** The session is over: nothing more will go through. */
  | { kind: "signedOut" }
  /** `keeps`: received bytes are kept, and the next try continues after them. */
  | { kind: "failed"; reason: string; keeps?: boolean };

export interface Transfer {
  done: Promise<Outcome>;
  /** Stops sending. Received pieces of a large file are kept. */
  abort: () => void;
}

export type Transport = (job: UploadJob, onProgress: (loaded: number) => void) => Transfer;

/** An answer to the question about a file of the same name; `both` gives the new one a number. */
export type Decision = "overwrite" | "both" | "skip";

export interface Conflict {
  job: string;
  path: string;
  /** Bytes of the file to be sent, and when it was last changed, in milliseconds. */
  size: number;
  modified: number;
  /** What is there; `null` when only the server's refusal says that there is something. */
  existing: Existing | null;
}

export interface QueueView extends Totals {
  lines: readonly EntryLine[];
  conflicts: readonly Conflict[];
  /** Something is still to be sent, or waits for an answer. */
  running: boolean;
  /** The session ended; the jobs wait for `resume`. */
  stopped: boolean;
  /** The user has paused all remaining jobs. */
  paused: boolean;
  /** Bytes a second. */
  speed: number;
}

export interface QueueEvents {
  publish: (view: QueueView) => void;
  /** Queue and active set are empty. */
  onDone: (result: { failed: number }) => void;
  onFailure: (job: UploadJob, reason: string) => void;
  /** The user cancelled unfinished jobs. */
  onCancel?: (jobs: readonly UploadJob[]) => void;
}

/** A line of the panel with its state. */
interface TrackedEntry {
  entry: UploadEntry;
  jobs: Set<TrackedJob>;
  /** As it was shown last; nothing when something has changed since. */
  line: EntryLine | null;
  /** Recent progress, while it is active. */
  samples: Sample[];
}

export class UploadQueue {
  private readonly transport: Transport;
  private readonly events: QueueEvents;
  private readonly entries = new Map<string, TrackedEntry>();
  private readonly jobs = new Map<string, TrackedJob>();
  private readonly transfers = new Map<string, Transfer>();
  /** The waiting ones of `jobs`, so that ten thousand finished ones are not searched each time. */
  private readonly waiting = new Set<TrackedJob>();
  /** Those with a name conflict, in the order of its occurrence. */
  private readonly asking = new Set<TrackedJob>();
  private readonly paused = new Set<TrackedJob>();
  /** Holds for all conflicts until everything is done. */
  private decision: Decision | null = null;
  private stopped = false;
  private busy = false;
  private samples: Sample[] = [];
  private sent = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(transport: Transport, events: QueueEvents) {
    this.transport = transport;
    this.events = events;
  }

  add({ entries, jobs }: UploadPlan) {
    if (jobs.length === 0) return;
    if (!this.busy) this.forget(isSettled);
    for (const entry of entries)
      this.entries.set(entry.id, { entry, jobs: new Set(), line: null, samples: [] });
    for (const job of jobs) {
      const tracked: TrackedJob = { ...job, state: "queued", loaded: 0, reason: "" };
      this.jobs.set(job.id, tracked);
      this.entries.get(job.entry)?.jobs.add(tracked);
      this.waiting.add(tracked);
      if (job.existing) this.meet(tracked);
    }
    this.stopped = false;
    this.run();
    this.show();
  }

  /** Sends the failed jobs of an entry again. */
  retry(entry: string) {
    for (const job of this.jobsOf(entry)) if (job.state === "failed") this.change(job, "queued");
    this.run();
    this.show();
  }

  /** Pauses the remaining jobs of an entry, or of all. */
  pause(entry?: string) {
    for (const job of this.jobsOf(entry)) {
      if (job.state !== "queued" && job.state !== "active") continue;
      this.drop(job);
      this.change(job, "paused");
    }
    this.run();
    this.show();
  }

  /** Resumes paused jobs, of an entry or of all, and those after the end of a session. */
  resume(entry?: string) {
    if (entry === undefined) this.stopped = false;
    for (const job of this.jobsOf(entry)) if (job.state === "paused") this.change(job, "queued");
    this.run();
    this.show();
  }

  /** Cancels the active jobs of an entry and removes it from the panel. Completed files stay. */
  cancel(entry: string) {
    const jobs = this.jobsOf(entry);
    for (const job of jobs) {
      this.drop(job);
      this.jobs.delete(job.id);
      for (const set of [this.waiting, this.asking, this.paused]) set.delete(job);
    }
    this.entries.delete(entry);
    this.events.onCancel?.(jobs.filter(({ state }) => !isSettled(state)));
    this.run();
    this.show();
  }

  /** Answers the question about these conflicts, or about all of them, including later ones. */
  decide(decision: Decision, about: "all" | ReadonlySet<string>) {
    if (about === "all") this.decision = decision;
    for (const job of Array.from(this.asking))
      if (about === "all" || about.has(job.id)) this.apply(decision, job);
    this.run();
    this.show();
  }

  /** Takes everything back into the queue and sends nothing more. */
  stop() {
    this.stopped = true;
    for (const [id, transfer] of this.transfers) {
      transfer.abort();
      const job = this.jobs.get(id);
      if (!job) continue;
      job.resumes = true;
      this.change(job, "queued");
    }
    this.transfers.clear();
    this.show();
  }

  /** Removes finished entries from the panel. */
  dismiss() {
    this.forget((state) => isSettled(state) || state === "failed");
    this.show();
  }

  /** Forgets everything, as when another user signs in. */
  clear() {
    for (const transfer of this.transfers.values()) transfer.abort();
    this.transfers.clear();
    this.jobs.clear();
    this.waiting.clear();
    this.asking.clear();
    this.paused.clear();
    this.entries.clear();
    this.stopped = false;
    this.busy = false;
    this.show();
  }

  private jobsOf(entry?: string): TrackedJob[] {
    const jobs = entry === undefined ? this.jobs.values() : this.entries.get(entry)?.jobs;
    return Array.from(jobs ?? []);
  }

  private drop(job: TrackedJob) {
    // It may have arrived nevertheless: then an existing file with its name is no conflict.
    if (job.state === "active") job.resumes = true;
    this.transfers.get(job.id)?.abort();
    this.transfers.delete(job.id);
  }

  /** Its line has to be made again. */
  private touch({ entry }: TrackedJob) {
    const tracked = this.entries.get(entry);
    if (tracked) tracked.line = null;
  }

  private change(job: TrackedJob, state: JobState, reason = "") {
    this.touch(job);
    job.state = state;
    const sets = [
      ["queued", this.waiting],
      ["conflict", this.asking],
      ["paused", this.paused],
    ] as const;
    for (const [name, set] of sets) {
      if (state === name) set.add(job);
      else set.delete(job);
    }
    job.reason = reason;
    if (state === "finished" || state === "skipped") job.loaded = job.file.size;
    else if (state === "conflict") job.loaded = 0;
  }

  private apply(decision: Decision, job: TrackedJob) {
    if (decision === "overwrite") job.overwrite = true;
    else if (decision === "both") this.renumber(job);
    this.change(job, decision === "skip" ? "skipped" : "queued");
  }

  /** Gives a file the next name that may be free. If it is taken too, the answer is given once more. */
  private renumber(job: TrackedJob) {
    const original = job.original ?? job.path;
    const number = (job.number ?? 0) + 1;
    job.path = job.existing?.spare ?? numbered(original, number);
    Object.assign(job, { original, number, existing: null });
    const tracked = this.entries.get(job.entry);
    if (tracked && !tracked.entry.isDir) tracked.entry = { ...tracked.entry, name: nameOf(job.path) };
  }

  /** Something of this name is there. */
  private meet(job: TrackedJob) {
    this.busy = true;
    if (this.decision) this.apply(this.decision, job);
    else if (job.number) this.apply("both", job);
    else this.change(job, "conflict");
  }

  /** Entries whose jobs have all ended in this sense. */
  private forget(isOver: (state: JobState) => boolean) {
    for (const [id, { jobs }] of this.entries) {
      if (!Array.from(jobs).every(({ state }) => isOver(state))) continue;
      for (const job of jobs) this.jobs.delete(job.id);
      this.entries.delete(id);
    }
  }

  private run() {
    if (this.stopped) return;
    for (const job of this.waiting) {
      if (this.transfers.size >= atOnce) break;
      const parent = job.after === null ? undefined : this.jobs.get(job.after);
      if (!parent || parent.state === "finished") this.start(job);
      else if (parent.state === "failed") this.fail(job, parent.reason, false);
    }
    this.settle();
  }

  private start(job: TrackedJob) {
    this.busy = true;
    this.change(job, "active");
    const transfer = this.transport(job, (loaded) => this.progressed(job, loaded));
    this.transfers.set(job.id, transfer);
    void transfer.done.then((outcome) => {
      // Cancelled or stopped meanwhile: its outcome does not matter any more.
      if (this.transfers.get(job.id) !== transfer) return;
      this.transfers.delete(job.id);
      this.finish(job, outcome);
      this.run();
      this.showSoon();
    });
  }

  private progressed(job: TrackedJob, loaded: number) {
    if (job.state !== "active") return;
    // The browser counts its own framing too.
    const next = Math.min(loaded, job.file.size);
    this.sent += Math.max(0, next - job.loaded);
    job.loaded = next;
    this.touch(job);
    this.showSoon();
  }

  private finish(job: TrackedJob, outcome: Outcome) {
    if (outcome.kind === "finished") {
      this.sent += job.file.size - job.loaded;
      this.change(job, "finished");
    } else if (outcome.kind === "signedOut") {
      this.change(job, "queued");
      this.stop();
    } else if (outcome.kind === "failed") this.fail(job, outcome.reason, outcome.keeps ?? false);
    // An existing folder is no conflict: the server answers with success.
    else if (job.file.isDir) this.fail(job, "同名的是一个文件", false);
    else this.meet(job);
  }

  private fail(job: TrackedJob, reason: string, keeps: boolean) {
    this.change(job, "failed", reason);
    if (!keeps) job.loaded = 0;
    this.events.onFailure(job, reason);
  }

  private isRunning(): boolean {
    return this.isSending() || this.asking.size > 0 || this.paused.size > 0;
  }

  private isSending(): boolean {
    return this.waiting.size > 0 || this.transfers.size > 0;
  }

  private settle() {
    if (!this.busy || this.isRunning()) return;
    this.busy = false;
    this.decision = null;
    this.samples = [];
    // First the displayed state, so that listeners of the end see it.
    this.show();
    this.events.onDone({ failed: this.jobsOf().filter(({ state }) => state === "failed").length });
  }

  private showSoon() {
    this.timer ??= setTimeout(() => this.show(), throttleMs);
  }

  private show() {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const at = Date.now();
    this.samples = this.busy ? addSample(this.samples, { at, sent: this.sent }) : [];
    const lines = Array.from(this.entries.values(), (tracked) => shownLine(tracked, at));
    const running = this.isRunning();
    const totals = totalsOf(lines);
    this.events.publish({
      lines,
      conflicts: Array.from(this.asking, conflictOf),
      running,
      stopped: this.stopped,
      paused: this.paused.size > 0 && !this.isSending(),
      // While only questions are open nothing is sent.
      speed: this.transfers.size > 0 ? speedOf(this.samples) : 0,
      ...totals,
      // Once nothing runs there is no progress to show.
      percent: running ? totals.percent : 0,
    });
  }
}

const conflictOf = ({ id, path, file, existing }: TrackedJob): Conflict => ({
  job: id,
  path,
  size: file.size,
  modified: file.content?.lastModified ?? 0,
  existing,
});

/** The same object as before where nothing has changed, so that nothing is drawn again for it. */
function shownLine(tracked: TrackedEntry, at: number): EntryLine {
  const { entry, jobs, samples } = tracked;
  const line = tracked.line ?? lineOf(entry, jobs);
  const sending = line.state === "active";
  tracked.samples = sending ? addSample(samples, { at, sent: line.loaded }) : [];
  // The speed changes also while nothing arrives.
  tracked.line = sending ? { ...line, speed: speedOf(tracked.samples) } : line;
  return tracked.line;
}
