// Errors on this page since it was opened, for the bell in the top bar and its page. They stay in the browser: they may
// contain the user's input.
import { create } from "zustand";
import { randomId } from "@/shared/lib/random-id";

export interface ErrorLogEntry {
  id: string;
  err: Error;
  /** The view that failed: a component stack's first line or "window". */
  vm: string;
  info: string;
  url: string;
  time: number;
}

/** A page that throws in a loop must not eat the memory. */
const capacity = 200;

interface ErrorLog {
  entries: ErrorLogEntry[];
  clear: () => void;
}

export const useErrorLog = create<ErrorLog>()((set) => ({
  entries: [],
  clear: () => set({ entries: [] }),
}));

interface Report {
  err: unknown;
  vm?: string;
  info: string;
}

export function reportError({ err, vm = "window", info }: Report) {
  // biome-ignore lint/suspicious/noConsole: people who look for the fault look there first
  console.error(`${info}（${vm}）`, err);
  const entry: ErrorLogEntry = {
    id: randomId(),
    err: err instanceof Error ? err : new Error(String(err)),
    vm,
    info,
    // The query may hold a ticket; the path is enough to find the place.
    url: location.origin + location.pathname,
    time: Date.now(),
  };
  useErrorLog.setState(({ entries }) => ({ entries: [entry, ...entries].slice(0, capacity) }));
}

/** Listens for uncaught errors. Called once at start. */
export function watchGlobalErrors() {
  window.addEventListener("error", (event) => {
    // Browsers report this harmless one through the same event; it is no fault of ours.
    if (event.message.startsWith("ResizeObserver loop")) return;
    reportError({ err: event.error ?? event.message, info: "未捕获的错误" });
  });
  window.addEventListener("unhandledrejection", (event) => {
    reportError({ err: event.reason, info: "未处理的 Promise 拒绝" });
  });
}
