// The socket for the portal's broadcasts to all open pages. It reconnects after a break.
import { asApiError } from "@/shared/api/problem";
import type { SocketRefusal } from "@/shared/api/sockets";

/** The used part of a `WebSocket`. */
export type Socket = Pick<WebSocket, "onopen" | "onmessage" | "onerror" | "onclose" | "send" | "close">;

interface Listener {
  dial: () => Promise<Socket>;
  /** Why a line did not open. */
  refusal: () => Promise<SocketRefusal>;
  onMessage: (text: string) => void;
  /** The line broke or could not be had: once for each break, however many tries it takes. */
  onFailure: () => void;
  /** No connection was ever opened, and none will be without an action; called once. */
  onRefused: (words: string) => void;
  /** The connection is open, for the first time or again; earlier broadcasts are lost. */
  onOpen: () => void;
}

/** In milliseconds, as `longestWait`. */
const pingEvery = 60_000;
const longestWait = 60_000;

/** The first line that does not open may have met a server that was just starting. */
const triesBeforeAsking = 2;

/** The session has ended, which is handled elsewhere. */
const sessionEnds = [401, 403];
const isSessionEnd = (cause: unknown) => sessionEnds.includes(asApiError(cause).status);

/** Listens until the answer is called. */
export function listen({ dial, refusal, onMessage, onFailure, onRefused, onOpen }: Listener): () => void {
  let over = false;
  let socket: Socket | null = null;
  let pinging: ReturnType<typeof setInterval> | undefined;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  /** Tries since a line was last open. */
  let tries = 0;
  let told = false;
  /** Whether a connection was ever open; before that, the number of refused tries. */
  let reached = false;
  let refused = 0;

  function fail() {
    if (!told && !over) onFailure();
    told = true;
  }

  async function ask() {
    refused += 1;
    if (refused !== triesBeforeAsking) return;
    const { status, words, blocked } = await refusal();
    if (over || reached || sessionEnds.includes(status)) return;
    if (blocked || status > 0) onRefused(words);
    else fail();
  }

  function again() {
    if (over) return;
    waiting = setTimeout(connect, Math.min(2 ** tries * 1000, longestWait));
    tries += 1;
  }

  function hold(line: Socket) {
    socket = line;
    line.onopen = () => {
      const ping = () => line.send("ping");
      ping();
      pinging = setInterval(ping, pingEvery);
      onOpen();
      reached = true;
      told = false;
      tries = 0;
    };
    line.onmessage = ({ data }) => {
      if (!over) onMessage(String(data));
    };
    line.onerror = () => {
      if (reached) fail();
    };
    line.onclose = () => {
      clearInterval(pinging);
      if (!reached) void ask();
      again();
    };
  }

  async function connect() {
    try {
      const line = await dial();
      if (over) line.close();
      else hold(line);
    } catch (cause) {
      if (isSessionEnd(cause)) return;
      fail();
      again();
    }
  }

  void connect();
  return () => {
    over = true;
    clearTimeout(waiting);
    clearInterval(pinging);
    socket?.close();
  };
}
