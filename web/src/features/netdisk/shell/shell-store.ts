// The command panel of this browser tab. It lives outside of React, as the uploads do: a command keeps running, and the
// panel is unchanged, when the user comes back from another page.
import { create } from "zustand";
import { useSession } from "@/shared/stores/session";
import { runCommand } from "./command";
import { endWords } from "./end-words";
import { type History, noHistory, remember, walk } from "./history";
import { emptyTranscript, lastLine, mostLines, print, put, type Transcript, takeBack } from "./transcript";

interface Shell {
  open: boolean;
  /** Percent of the page's height. */
  height: number;
  transcript: Transcript;
  history: History;
  /** The line that runs now. */
  running: string | null;
  /** Of the last command that ran to its end. */
  status: number | null;
  /** How many commands have ended: after each the folder may be another. */
  ended: number;
}

const fresh: Shell = {
  open: false,
  height: 40,
  transcript: emptyTranscript,
  history: noHistory,
  running: null,
  status: null,
  ended: 0,
};

export const useShell = create<Shell>()(() => fresh);

/** The id of the button that opens it, to which the focus returns. */
export const shellButton = "netdisk-shell";

const flushEveryMs = 50;

let stop: (() => void) | null = null;
/** Received lines that are not shown yet: rendering each line on its own would freeze the page. */
let waiting: string[] = [];
let lost = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

function flush() {
  clearTimeout(timer);
  timer = undefined;
  if (waiting.length === 0) return;
  const { transcript } = useShell.getState();
  useShell.setState({ transcript: print(transcript, waiting, lost) });
  waiting = [];
  lost = 0;
}

function take(line: string) {
  waiting.push(line);
  if (waiting.length > 2 * mostLines) {
    lost += waiting.length - mostLines;
    waiting = waiting.slice(-mostLines);
  }
  timer ??= setTimeout(flush, flushEveryMs);
}

function say(kind: "note" | "fault", text: string) {
  flush();
  useShell.setState(({ transcript }) => ({ transcript: put(transcript, { kind, lines: [text] }) }));
}

function finish(status: number | null) {
  stop = null;
  useShell.setState(({ ended }) => ({ running: null, status, ended: ended + 1 }));
}

function start(host: string, folder: string, line: string) {
  useShell.setState({ running: line, status: null });
  stop = runCommand(host, folder, line, {
    onLine: take,
    onEnd: (end) => {
      flush();
      const { transcript } = useShell.getState();
      const said = lastLine(transcript);
      const { instead, words } = endWords(end, said, line);
      if (instead) useShell.setState({ transcript: takeBack(transcript, said) });
      if (words) say("fault", words);
      finish(end.kind === "exited" ? end.status : null);
    },
  });
}

/** Takes a line as it was typed. */
export function enter(host: string, folder: string, typed: string) {
  const line = typed.trim();
  const { running, history, transcript } = useShell.getState();
  if (line === "" || running !== null) return;
  useShell.setState({ history: remember(history, line) });
  if (line === "clear") clear();
  else if (line === "exit") setOpen(false);
  else {
    useShell.setState({ transcript: put(transcript, { kind: "command", folder, lines: [line] }) });
    start(host, folder, line);
  }
}

/** Ends the running command. */
export function cancel() {
  if (!stop) return;
  stop();
  say("note", "^C 已停止");
  finish(null);
}

export function clear() {
  flush();
  useShell.setState({ transcript: emptyTranscript, status: null });
}

export const setOpen = (open: boolean) => useShell.setState({ open });

/** In percent of the page: both the part above and the panel stay usable. */
export const lowest = 15;
export const highest = 80;
export const setHeight = (height: number) =>
  useShell.setState({ height: Math.round(Math.min(highest, Math.max(lowest, height))) });

/** The line before or after the one in the field; null where there is none. */
export function recall(typed: string, step: -1 | 1): string | null {
  const walked = walk(useShell.getState().history, typed, step);
  if (!walked) return null;
  useShell.setState({ history: walked[0] });
  return walked[1];
}

// Another user must not see or continue a user's commands.
useSession.subscribe(({ id }, before) => {
  if (id === before.id) return;
  stop?.();
  stop = null;
  waiting = [];
  lost = 0;
  useShell.setState(fresh);
});
