// The phases of a terminal's connection, and their transitions. Without I/O.

/** The server's text frames; programs' output comes in binary frames. */
export type ServerMessage =
  /** SSH: the login was taken, the shell begins. */
  | { type: "ready" }
  | { type: "exit"; code: number }
  | { type: "hostKey"; algorithm: string; fingerprint: string; known: boolean }
  | { type: "error"; detail: string; reason?: string; expected?: string; offered?: string };

export interface ChangedKey {
  expected: string;
  offered: string;
}

export type Phase =
  | { kind: "connecting"; attempt: number }
  /** SSH: a login is required. `fault`: why the last one failed. */
  | { kind: "login"; fault: string | null }
  /** SSH: the host is unknown; the user decides. */
  | { kind: "hostKey"; algorithm: string; fingerprint: string }
  | { kind: "open" }
  /** The line broke; the next try begins after `delay` seconds. */
  | { kind: "waiting"; attempt: number; delay: number; words: string }
  /** Ended; only the user reconnects. */
  | { kind: "over"; failed: boolean; words: string; changedKey?: ChangedKey };

export type Happening =
  | { type: "opened" }
  | { type: "message"; message: ServerMessage }
  /** `said`: the error that the server sent before it closed. */
  | { type: "closed"; code: number; said: string | null }
  /** The server refused the connection. `status` 0: no answer. */
  | { type: "refused"; status: number; words: string };

/** Connections with a login do not reconnect by themselves, because the login is not stored. */
export interface Manner {
  login: boolean;
}

const normal = 1000;
const stopped = 4001;
const notAllowed = 4003;
/** Codes of the application that are no passing trouble. */
const firstFinal = 4001;
const lastFinal = 4999;

/** Seconds before each new try; the last holds for all that follow. */
const delays = [1, 2, 3, 5, 8, 13, 20, 30];

const delayBefore = (attempt: number) => delays[Math.min(attempt, delays.length) - 1] ?? 30;

const attemptOf = (phase: Phase) =>
  phase.kind === "connecting" || phase.kind === "waiting" ? phase.attempt : 0;

function broken(phase: Phase, words: string, { login }: Manner): Phase {
  if (login) return { kind: "over", failed: true, words };
  const attempt = attemptOf(phase) + 1;
  return { kind: "waiting", attempt, delay: delayBefore(attempt), words };
}

const endWords: Record<number, string> = {
  [stopped]: "实例已停止，终端已断开",
  [notAllowed]: "你已不能使用这个终端",
};

function afterClose(phase: Phase, code: number, said: string | null, manner: Manner): Phase {
  // The user can still answer the question; the answer opens a new connection.
  if (phase.kind === "over" || phase.kind === "login") return phase;
  if (code === normal) return { kind: "over", failed: false, words: said ?? "连接已结束" };
  if (code >= firstFinal && code <= lastFinal)
    return { kind: "over", failed: true, words: said ?? endWords[code] ?? `连接已结束（${code}）` };
  return broken(phase, said ?? "连接断开", manner);
}

/** A shell's exit codes for a program that could not be started. */
const notRun = [126, 127];

const exitWords = (code: number) =>
  notRun.includes(code) ? "没有启动：实例里没有这个 Shell，请换一个" : `Shell 已结束，退出状态 ${code}`;

function afterMessage(phase: Phase, message: ServerMessage): Phase {
  switch (message.type) {
    case "ready":
      return { kind: "open" };
    case "exit":
      return { kind: "over", failed: message.code !== 0, words: exitWords(message.code) };
    case "hostKey": {
      const { algorithm, fingerprint, known } = message;
      return known ? phase : { kind: "hostKey", algorithm, fingerprint };
    }
    case "error": {
      const { detail, reason, expected = "", offered = "" } = message;
      if (reason === "authentication" || reason === "privateKey") return { kind: "login", fault: detail };
      if (reason === "hostKeyChanged")
        return { kind: "over", failed: true, words: detail, changedKey: { expected, offered } };
      // The close code decides whether this is the end.
      return phase;
    }
  }
}

export function next(phase: Phase, happening: Happening, manner: Manner): Phase {
  switch (happening.type) {
    case "opened":
      return manner.login ? phase : { kind: "open" };
    case "message":
      return afterMessage(phase, happening.message);
    case "closed":
      return afterClose(phase, happening.code, happening.said, manner);
    case "refused": {
      const { status, words } = happening;
      return status === 0 || status >= 500
        ? broken(phase, words, manner)
        : { kind: "over", failed: true, words };
    }
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** Parses a text frame; unknown ones are ignored. */
export function readMessage(frame: string): ServerMessage | null {
  let body: unknown;
  try {
    body = JSON.parse(frame);
  } catch {
    return null;
  }
  if (!isRecord(body)) return null;
  const { type, algorithm, fingerprint, detail, reason, expected, offered } = body;
  if (type === "ready") return { type };
  if (type === "exit") return { type, code: Number(body.code) };
  if (type === "hostKey")
    return {
      type,
      algorithm: text(algorithm),
      fingerprint: text(fingerprint),
      known: body.known === true,
    };
  if (type === "error")
    return {
      type,
      detail: text(detail),
      reason: text(reason),
      expected: text(expected),
      offered: text(offered),
    };
  return null;
}
