// Whether the portal answers this page. One silent call proves nothing (a storage host elsewhere, a changed network), so
// the line counts as lost only after `/health` did not answer either; from then on it is asked until it does.
import { create } from "zustand";
import { apiBase } from "./api-base";

interface Line {
  lost: boolean;
  /** When it was lost, in milliseconds since the epoch. */
  since: number | null;
  /** The portal is being asked right now. */
  asking: boolean;
}

const fine: Line = { lost: false, since: null, asking: false };

export const useLine = create<Line>()(() => fine);

/** In milliseconds. */
const patience = 4_000;
const firstWait = 1_000;
const longestWait = 10_000;

let question: Promise<boolean> | null = null;
let waiting: ReturnType<typeof setTimeout> | undefined;

async function ask(): Promise<boolean> {
  try {
    const { ok } = await fetch(new URL(`${apiBase()}/health`, location.origin), {
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.timeout(patience),
    });
    return ok;
  } catch {
    return false;
  }
}

/** Asks the portal whether it answers, and notes the result. Several callers share one question. */
export function checkLine(): Promise<boolean> {
  question ??= (async () => {
    useLine.setState({ asking: true });
    const answers = await ask();
    question = null;
    if (answers) noteAnswer();
    else useLine.setState(({ since }) => ({ lost: true, since: since ?? Date.now(), asking: false }));
    return answers;
  })();
  return question;
}

async function watch(wait: number) {
  if (await checkLine()) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => void watch(Math.min(wait * 2, longestWait)), wait);
}

/** The portal answered. */
export function noteAnswer() {
  const { lost, asking } = useLine.getState();
  if (lost) clearTimeout(waiting);
  if (lost || asking) useLine.setState(fine);
}

/** A call to the portal had no answer. */
export function noteSilence() {
  if (!question && !useLine.getState().lost) void watch(firstWait);
}

/** Asks now instead of after the present pause. */
export function checkLineNow() {
  clearTimeout(waiting);
  void watch(firstWait);
}

/** Follows what the browser says about its network; returns a function that stops it. */
export function watchBrowserNetwork(): () => void {
  addEventListener("online", checkLineNow);
  addEventListener("offline", checkLineNow);
  return () => {
    removeEventListener("online", checkLineNow);
    removeEventListener("offline", checkLineNow);
    clearTimeout(waiting);
  };
}

/** Ends the watch, for tests. */
export function forgetLine() {
  clearTimeout(waiting);
  question = null;
  useLine.setState(fine);
}
