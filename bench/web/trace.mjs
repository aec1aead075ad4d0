// What the browser's own tracing says of the frames of a page.

const CATEGORIES = ["cc", "benchmark", "devtools.timeline", "disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.frame"];

/** The events that a piece of work leaves. */
export async function traced(session, work) {
  const events = [];
  const collect = ({ value }) => events.push(...value);
  session.on("Tracing.dataCollected", collect);
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: CATEGORIES } });
  await work();
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await complete;
  session.off("Tracing.dataCollected", collect);
  return events;
}

export const percentile = (values, share) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

/** The thread that runs the page's scripts: the busiest of its kind. */
function mainThread(events) {
  const threads = events.filter((event) => event.name === "thread_name" && event.args.name === "CrRendererMain");
  const busy = ({ pid, tid }) => tasksOf(events, pid, tid).reduce((sum, task) => sum + task.dur, 0);
  return threads.sort((a, b) => busy(b) - busy(a))[0];
}

const tasksOf = (events, pid, tid) =>
  events.filter((event) => event.pid === pid && event.tid === tid && event.ph === "X" && event.name.endsWith("RunTask"));

/** When each frame ended, and how. Ids are used again: an end belongs to the oldest beginning that is still open. */
function reportsOf(events, pid) {
  const open = new Map();
  const reports = [];
  const own = events.filter((event) => event.pid === pid && event.name === "PipelineReporter").sort((a, b) => a.ts - b.ts);
  for (const { ph, ts, args, id2 } of own) {
    const begun = open.get(id2.local) ?? [];
    open.set(id2.local, begun);
    if (ph === "b") begun.push((args.chrome_frame_reporter ?? args.frame_reporter).state);
    else if (begun.length > 0) reports.push({ end: ts, state: begun.shift() });
  }
  return reports;
}

/**
 * Frames of the renderer over so many seconds, in milliseconds. `dropped` were wanted and not shown in time; `late` were shown without what
 * the page's scripts had still to do for them. `interval` is the time between two that were shown, `script` the main
 * thread's CPU time for one sixtieth of a second, `longest` the longest task's.
 */
export function framesOf(events, seconds) {
  const { pid, tid } = mainThread(events);
  const frames = reportsOf(events, pid).filter(({ state }) => state !== "STATE_NO_UPDATE_DESIRED");
  const of = (state) => frames.filter((frame) => frame.state === state);
  const shown = frames.filter(({ state }) => state.startsWith("STATE_PRESENTED")).map(({ end }) => end).sort((a, b) => a - b);
  const tasks = tasksOf(events, pid, tid);
  return {
    frames: frames.length,
    dropped: of("STATE_DROPPED").length,
    late: of("STATE_PRESENTED_PARTIAL").length,
    interval: percentile(shown.slice(1).map((end, index) => end - shown[index]), 0.95) / 1000,
    script: tasks.reduce((sum, { tdur }) => sum + tdur, 0) / 1000 / (seconds * 60),
    longest: Math.max(0, ...tasks.map(({ tdur }) => tdur)) / 1000,
  };
}
