import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { measured } from "./measure";
import type { Picked } from "./picked";
import { planUpload, type UploadJob } from "./plan";
import { type Outcome, type QueueView, throttleMs, UploadQueue } from "./queue";

interface Sending {
  job: UploadJob;
  progress: (loaded: number) => void;
  end: (outcome: Outcome) => Promise<void>;
  aborted: boolean;
}

function setUp() {
  const sent: Sending[] = [];
  const views: QueueView[] = [];
  const done: number[] = [];
  const failures: string[] = [];
  const cancelled: string[] = [];
  const queue = new UploadQueue(
    (job, progress) => {
      let resolve: (outcome: Outcome) => void = () => {};
      const promise = new Promise<Outcome>((settled) => {
        resolve = settled;
      });
      const sending: Sending = {
        job: { ...job },
        progress,
        aborted: false,
        end: async (outcome) => {
          resolve(outcome);
          await vi.advanceTimersByTimeAsync(0);
        },
      };
      sent.push(sending);
      return {
        done: promise,
        abort: () => {
          sending.aborted = true;
        },
      };
    },
    {
      publish: (view) => views.push(view),
      onDone: ({ failed }) => done.push(failed),
      onCancel: (jobs) => cancelled.push(...jobs.map(({ path }) => path)),
      onFailure: (job, reason) => failures.push(`${job.path} ${reason}`),
    },
  );
  let id = 0;
  const add = (...picked: Picked[]) =>
    queue.add(planUpload(picked.map(measured), "/home/", () => `id${id++}`));
  const last = () => {
    const view = views.at(-1);
    if (!view) throw new Error("nothing was shown yet");
    return view;
  };
  const sending = (path: string) => {
    const found = sent.findLast(({ job }) => job.path === path);
    if (!found) throw new Error(`${path} was not sent`);
    return found;
  };
  const settle = () => vi.advanceTimersByTimeAsync(throttleMs);
  return { queue, add, sent, sending, views, last, done, failures, cancelled, settle };
}

const file = (name: string, size = 10): Picked => ({
  names: [name],
  file: new File(["x".repeat(size)], name),
});
const inside = (...names: string[]): Picked => ({ names, file: new File(["x"], names.at(-1) ?? "") });
const finished: Outcome = { kind: "finished" };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("the upload queue", () => {
  it("S239 S240 sends five at once and the next when one has finished", async () => {
    const { add, sent } = setUp();
    add(...Array.from({ length: 7 }, (_, index) => file(`f${index}`)));
    expect(sent.map(({ job }) => job.path)).toEqual([
      "/home/f0",
      "/home/f1",
      "/home/f2",
      "/home/f3",
      "/home/f4",
    ]);
    await sent[2]?.end(finished);
    expect(sent.at(-1)?.job.path).toBe("/home/f5");
    expect(sent).toHaveLength(6);
  });

  it("S245 nothing picked is nothing to upload", () => {
    const { add, views } = setUp();
    add();
    expect(views).toHaveLength(0);
  });

  it("S244 shows the whole percentage, rounded up", async () => {
    const { add, sending, last, settle } = setUp();
    add(file("a", 100), file("b", 200));
    sending("/home/a").progress(1);
    await settle();
    expect(last().percent).toBe(1);
    sending("/home/b").progress(200);
    await settle();
    expect(last().percent).toBe(67);
  });

  it("S399 shows progress at most once in 100 ms", async () => {
    const { add, sending, views, settle } = setUp();
    add(file("a", 100));
    const before = views.length;
    for (let loaded = 1; loaded <= 50; loaded++) sending("/home/a").progress(loaded);
    expect(views.length).toBe(before);
    await settle();
    expect(views.length).toBe(before + 1);
    expect(views.at(-1)?.loaded).toBe(50);
  });

  it("S243 says once that all is done, and the progress is reset", async () => {
    const { add, sent, last, done, settle } = setUp();
    add(file("a"), file("b"));
    await sent[0]?.end(finished);
    expect(done).toEqual([]);
    await sent[1]?.end(finished);
    await settle();
    expect(done).toEqual([0]);
    expect(last()).toMatchObject({ running: false, percent: 0 });
    expect(last().lines.map((line) => line.state)).toEqual(["finished", "finished"]);
  });

  it("makes folders first, then what is in them, as one line", async () => {
    const { add, sent, sending, last, settle } = setUp();
    add(inside("top", "a.txt"), inside("top", "deep", "b.txt"), { names: ["top", "empty"], file: null });
    expect(sent.map(({ job }) => job.path)).toEqual(["/home/top/"]);
    await sending("/home/top/").end(finished);
    expect(sent.map(({ job }) => job.path)).toContain("/home/top/empty/");
    expect(sent.map(({ job }) => job.path)).not.toContain("/home/top/deep/b.txt");
    await sending("/home/top/deep/").end(finished);
    await sending("/home/top/deep/b.txt").end(finished);
    await settle();
    expect(last().lines).toHaveLength(1);
    expect(last().lines[0]).toMatchObject({ name: "top", isDir: true, files: 2, filesDone: 1 });
  });

  it("what belongs into a folder that could not be made fails with it", async () => {
    const { add, sending, last, done, settle } = setUp();
    add(inside("top", "a.txt"));
    await sending("/home/top/").end({ kind: "failed", reason: "没有权限" });
    await settle();
    expect(last().lines[0]).toMatchObject({ state: "failed", files: 1, filesFailed: 1, reason: "没有权限" });
    expect(done).toEqual([2]);
  });

  it("S231 S280 asks about a conflict; overwriting sends again with it, skipping leaves it", async () => {
    const { queue, add, sending, last, done, settle } = setUp();
    add(file("a"), file("b"));
    await sending("/home/a").end({ kind: "conflict" });
    await sending("/home/b").end({ kind: "conflict" });
    await settle();
    expect(last().conflicts.map(({ path }) => path)).toEqual(["/home/a", "/home/b"]);
    expect(done).toEqual([]);
    queue.decide(
      "overwrite",
      new Set(
        last()
          .conflicts.slice(0, 1)
          .map(({ job }) => job),
      ),
    );
    expect(sending("/home/a").job.overwrite).toBe(true);
    queue.decide("skip", new Set(last().conflicts.map(({ job }) => job)));
    await sending("/home/a").end(finished);
    await settle();
    expect(last().lines.map((line) => line.state)).toEqual(["finished", "skipped"]);
    expect(done).toEqual([0]);
  });

  it("S231 an answer for all holds for later conflicts, but not for the next upload", async () => {
    const { queue, add, sending, last, settle } = setUp();
    add(file("a"), file("b"));
    await sending("/home/a").end({ kind: "conflict" });
    queue.decide("skip", "all");
    await sending("/home/b").end({ kind: "conflict" });
    await settle();
    expect(last()).toMatchObject({ running: false, conflicts: [] });
    add(file("c"));
    await sending("/home/c").end({ kind: "conflict" });
    await settle();
    expect(last().conflicts).toHaveLength(1);
  });

  it("asks at once about all that is known to be there, and sends nothing of it before", async () => {
    const { queue, sent, last, done, settle } = setUp();
    let id = 0;
    const plan = planUpload([file("a"), file("b"), file("c")].map(measured), "/home/", () => `x${id++}`);
    const existing = { size: 3, modified: "2026-11-20T10:00:00Z", spare: "/home/a(2)" };
    queue.add({ ...plan, jobs: plan.jobs.map((job, at) => (at < 2 ? { ...job, existing } : job)) });
    expect(sent.map(({ job }) => job.path)).toEqual(["/home/c"]);
    expect(last().conflicts.map(({ path, size }) => [path, size])).toEqual([
      ["/home/a", 10],
      ["/home/b", 10],
    ]);
    queue.decide("skip", "all");
    await sent[0]?.end(finished);
    await settle();
    expect(last().lines.map(({ state }) => state)).toEqual(["skipped", "skipped", "finished"]);
    expect(done).toEqual([0]);
  });

  it("keeping both sends it beside the other, under the next name that is free", async () => {
    const { queue, add, sent, last, settle } = setUp();
    add(file("a.txt"));
    await sent[0]?.end({ kind: "conflict" });
    queue.decide("both", "all");
    expect(sent[1]?.job).toMatchObject({ path: "/home/a(1).txt", overwrite: false });
    await sent[1]?.end({ kind: "conflict" });
    expect(sent[2]?.job.path).toBe("/home/a(2).txt");
    await sent[2]?.end(finished);
    await settle();
    expect(last().lines[0]).toMatchObject({ state: "finished", name: "a(2).txt" });
  });

  it("S382 keeps what failed with its reason, and sends it again", async () => {
    const { queue, add, sending, last, failures, done, settle } = setUp();
    add(file("a"));
    await sending("/home/a").end({ kind: "failed", reason: "空间不足" });
    await settle();
    expect(failures).toEqual(["/home/a 空间不足"]);
    expect(last().lines[0]).toMatchObject({ state: "failed", reason: "空间不足" });
    queue.retry(last().lines[0]?.id ?? "");
    await sending("/home/a").end(finished);
    await settle();
    expect(last().lines[0]?.state).toBe("finished");
    expect(done).toEqual([1, 0]);
  });

  it("cancelling aborts, and the next in the queue begins", async () => {
    const { queue, add, sent, last, settle } = setUp();
    add(...Array.from({ length: 6 }, (_, index) => file(`f${index}`)));
    queue.cancel(last().lines[0]?.id ?? "");
    expect(sent[0]?.aborted).toBe(true);
    expect(sent.at(-1)?.job.path).toBe("/home/f5");
    await sent[0]?.end(finished);
    await settle();
    expect(last().lines).toHaveLength(5);
  });

  it("S385 the end of the session stops everything and keeps the jobs", async () => {
    const { queue, add, sent, last, done, settle } = setUp();
    add(...Array.from({ length: 6 }, (_, index) => file(`f${index}`)));
    await sent[0]?.end({ kind: "signedOut" });
    await settle();
    expect(sent.slice(1).every(({ aborted }) => aborted)).toBe(true);
    expect(sent).toHaveLength(5);
    expect(last()).toMatchObject({ stopped: true, running: true });
    expect(done).toEqual([]);
    queue.resume();
    expect(sent).toHaveLength(10);
  });

  it("what was broken off may have arrived: only that takes itself for no conflict when it goes on", () => {
    const { queue, add, sent } = setUp();
    add(...Array.from({ length: 7 }, (_, index) => file(`f${index}`)));
    queue.pause();
    queue.resume();
    const brokenOff = sent.slice(0, 5).map(({ job }) => job.path);
    for (const { job } of sent.slice(0, 5)) expect(job.resumes).toBe(false);
    for (const { job } of sent.slice(5)) expect(job.resumes).toBe(brokenOff.includes(job.path));
  });

  it("a new upload clears away what is done, and keeps what failed", async () => {
    const { add, sending, last } = setUp();
    add(file("a"), file("b"));
    await sending("/home/a").end(finished);
    await sending("/home/b").end({ kind: "failed", reason: "网络中断" });
    add(file("c"));
    expect(last().lines.map((line) => line.name)).toEqual(["b", "c"]);
  });

  it("shows the same line again while nothing of it has changed", async () => {
    const { add, sending, last, settle } = setUp();
    add(file("a"), file("b", 100));
    await sending("/home/a").end(finished);
    await settle();
    const [before] = last().lines;
    sending("/home/b").progress(50);
    await settle();
    expect(last().lines[1]?.loaded).toBe(50);
    expect(last().lines[0]).toBe(before);
  });

  it("ten thousand files go through without being looked through each time", async () => {
    const { add, sent, last, settle } = setUp();
    add(...Array.from({ length: 10_000 }, (_, index) => inside("many", `${index}`)));
    for (let at = 0; at < sent.length; at++) await sent[at]?.end(finished);
    await settle();
    expect(sent).toHaveLength(10_001);
    expect(last().lines[0]).toMatchObject({ state: "finished", filesDone: 10_000 });
  });

  it("a paused line sends nothing, keeps its place, and goes on when it is resumed", async () => {
    const { queue, add, sent, sending, last, settle, done } = setUp();
    add(file("a", 100), file("b", 100));
    sending("/home/a").progress(40);
    const [line] = last().lines;
    queue.pause(line?.id);
    expect(sending("/home/a").aborted).toBe(true);
    expect(last().lines.map(({ state }) => state)).toEqual(["paused", "active"]);
    expect(last().lines[0]?.loaded).toBe(40);
    expect(last()).toMatchObject({ running: true, paused: false });
    await sending("/home/b").end(finished);
    await settle();
    expect(last()).toMatchObject({ running: true, paused: true });
    expect(done).toEqual([]);
    queue.resume(line?.id);
    expect(sent).toHaveLength(3);
    await sending("/home/a").end(finished);
    expect(done).toEqual([0]);
  });

  it("pausing all holds back what waits, too", async () => {
    const { queue, add, sent, last, settle } = setUp();
    add(...Array.from({ length: 7 }, (_, index) => file(`f${index}`)));
    queue.pause();
    await settle();
    expect(sent.every(({ aborted }) => aborted)).toBe(true);
    expect(last().lines.every(({ state }) => state === "paused")).toBe(true);
    queue.resume();
    expect(sent).toHaveLength(10);
  });

  it("what has arrived of a file that failed is shown, if it is kept", async () => {
    const { add, sending, last, settle } = setUp();
    add(file("a", 100), file("b", 100));
    sending("/home/a").progress(31);
    sending("/home/b").progress(31);
    await sending("/home/a").end({ kind: "failed", reason: "网络中断", keeps: true });
    await sending("/home/b").end({ kind: "failed", reason: "空间不足" });
    await settle();
    expect(last().lines.map(({ loaded }) => loaded)).toEqual([31, 0]);
  });

  it("giving up names what was not finished", async () => {
    const { queue, add, sending, last, cancelled } = setUp();
    add(inside("d", "a"), inside("d", "b"));
    await sending("/home/d/").end(finished);
    await sending("/home/d/a").end(finished);
    queue.cancel(last().lines[0]?.id ?? "");
    expect(cancelled).toEqual(["/home/d/b"]);
  });

  it("each line has a speed of its own", async () => {
    const { add, sending, last, settle } = setUp();
    add(file("a", 1000), file("b", 1000));
    for (const loaded of [100, 200, 300, 400]) {
      sending("/home/a").progress(loaded);
      await settle();
    }
    const [a, b] = last().lines;
    expect(a?.speed).toBe(1000);
    expect(b?.speed).toBe(0);
  });
});
