// Signs out when no page of this browser had any input for as long as the settings allow. The server can't see that:
// an open page asks by itself for what is new, which looks like use.
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { isWorking } from "@/shared/lib/page-work";
import { useSession } from "@/shared/stores/session";
import { hideIdleWarning, showIdleEnd, showIdleWarning } from "../feedback";
import { queryClient } from "../query-client";

/** Where the tabs of a browser keep the time of the last input. */
const storageKey = "yunlab_last_input";
/** Inputs that follow each other faster are not stored. */
const notedEveryMs = 5_000;
const lookEveryMs = 5_000;
/** How long before the end the page warns. */
const warnedMs = 60_000;

const inputs = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"] as const;

/** What is left of the idle time, in milliseconds; null: sign-ins don't end by it. */
export function idleTimeLeft(lastInput: number, now: number, idleMinutes: number): number | null {
  // A time in the future was stored while the clock was wrong.
  return idleMinutes > 0 ? idleMinutes * 60_000 - Math.max(0, now - lastInput) : null;
}

/** Watches the inputs; `end` signs out. Returns a function that stops watching. */
export function watchIdle(end: () => void) {
  let noted = Date.now();

  function note() {
    const now = Date.now();
    if (Math.abs(now - noted) < notedEveryMs) return;
    noted = now;
    try {
      localStorage.setItem(storageKey, String(now));
    } catch {
      // Without storage each tab counts for itself.
    }
    hideIdleWarning();
  }

  function lastInput(): number {
    try {
      return Math.max(noted, Number(localStorage.getItem(storageKey)) || 0);
    } catch {
      return noted;
    }
  }

  function look() {
    if (useSession.getState().token === null) return;
    if (isWorking()) note();
    const minutes = queryClient.getQueryData(publicSettingsQuery.queryKey)?.idleMinutes ?? 0;
    const left = idleTimeLeft(lastInput(), Date.now(), minutes);
    if (left === null || left > warnedMs) {
      hideIdleWarning();
    } else if (left > 0) {
      showIdleWarning();
    } else {
      hideIdleWarning();
      showIdleEnd();
      end();
    }
  }

  const options = { capture: true, passive: true };
  for (const input of inputs) addEventListener(input, note, options);
  const timer = setInterval(look, lookEveryMs);
  return () => {
    clearInterval(timer);
    for (const input of inputs) removeEventListener(input, note, options);
  };
}
