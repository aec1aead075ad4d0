// The connection of a terminal: its socket, messages and reconnects.
import { asApiError } from "@/shared/api/problem";
import { type Happening, type Manner, next, type Phase, readMessage } from "./phase";

export interface Size {
  cols: number;
  rows: number;
}

/** The used part of a `WebSocket`. */
export type Socket = Pick<
  WebSocket,
  "binaryType" | "onopen" | "onmessage" | "onclose" | "readyState" | "send" | "close"
>;

export type Login = { username: string } & (
  | { password: string }
  | { privateKey: string; passphrase?: string }
);

interface LineInput {
  manner: Manner;
  dial: (size: Size) => Promise<Socket>;
  /** Why a connection was refused, which a browser's socket does not report. */
  refusal: () => Promise<{ status: number; words: string }>;
  size: () => Size;
  onPhase: (phase: Phase) => void;
  onBytes: (bytes: Uint8Array) => void;
}

const open = 1;
/** The server limits the size of frames, which a paste may exceed. */
const largestFrame = 16 * 1024;

export class Line {
  #input: LineInput;
  #phase: Phase;
  #socket: Socket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts the dials: messages of earlier sockets are ignored. */
  #dialled = 0;
  #said: string | null = null;

  constructor(input: LineInput) {
    this.#input = input;
    this.#phase = input.manner.login ? { kind: "login", fault: null } : { kind: "connecting", attempt: 0 };
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Dials for the first time; nothing after that. */
  begin() {
    if (this.#dialled === 0 && !this.#input.manner.login) this.connect();
  }

  /** Dials now, cancelling a planned retry. With a login, asks for it first. */
  connect() {
    this.#drop();
    if (this.#input.manner.login) this.#enter({ kind: "login", fault: null });
    else void this.#dial(null);
  }

  /** SSH: on the open socket after a failed try, else on a new one. The login is not stored. */
  login(login: Login) {
    const frame = JSON.stringify({ type: "login", ...login, ...this.#input.size() });
    if (this.#socket?.readyState === open) {
      this.#enter({ kind: "connecting", attempt: 0 });
      this.#socket.send(frame);
    } else void this.#dial(frame);
  }

  /** SSH: the user trusts this host. */
  trust() {
    this.#sendText({ type: "trust" });
    this.#enter({ kind: "connecting", attempt: 0 });
  }

  send(bytes: Uint8Array<ArrayBuffer>) {
    if (this.#phase.kind !== "open") return;
    for (let at = 0; at < bytes.length; at += largestFrame) {
      this.#socket?.send(bytes.subarray(at, at + largestFrame));
    }
  }

  resize(size: Size) {
    if (this.#phase.kind === "open") this.#sendText({ type: "resize", ...size });
  }

  close() {
    this.#drop();
  }

  #sendText(message: object) {
    if (this.#socket?.readyState === open) this.#socket.send(JSON.stringify(message));
  }

  #drop() {
    this.#dialled += 1;
    clearTimeout(this.#timer);
    this.#socket?.close();
    this.#socket = null;
  }

  async #dial(first: string | null) {
    this.#drop();
    const dialled = this.#dialled;
    const mine = () => dialled === this.#dialled;
    const { attempt } = this.#phase.kind === "waiting" ? this.#phase : { attempt: 0 };
    this.#enter({ kind: "connecting", attempt });
    this.#said = null;
    const size = this.#input.size();
    let socket: Socket;
    try {
      socket = await this.#input.dial(size);
    } catch (cause) {
      const { status, message } = asApiError(cause);
      if (mine()) this.#happen({ type: "refused", status, words: message });
      return;
    }
    if (!mine()) {
      socket.close();
      return;
    }
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    let opened = false;
    socket.onopen = () => {
      if (!mine()) return;
      opened = true;
      if (first !== null) socket.send(first);
      this.#happen({ type: "opened" });
      const { cols, rows } = this.#input.size();
      if (cols !== size.cols || rows !== size.rows) this.resize({ cols, rows });
    };
    socket.onmessage = ({ data }) => {
      if (mine()) this.#hear(data);
    };
    socket.onclose = async ({ code }) => {
      if (!mine()) return;
      this.#socket = null;
      if (opened) this.#happen({ type: "closed", code, said: this.#said });
      else {
        const { status, words } = await this.#input.refusal();
        if (mine()) this.#happen({ type: "refused", status, words });
      }
    };
  }

  #hear(data: unknown) {
    if (data instanceof ArrayBuffer) {
      this.#input.onBytes(new Uint8Array(data));
      return;
    }
    const message = typeof data === "string" ? readMessage(data) : null;
    if (!message) return;
    if (message.type === "error") this.#said = message.detail || null;
    this.#happen({ type: "message", message });
  }

  #happen(happening: Happening) {
    this.#enter(next(this.#phase, happening, this.#input.manner));
    if (this.#phase.kind === "waiting") {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#dial(null), this.#phase.delay * 1000);
    }
  }

  #enter(phase: Phase) {
    this.#phase = phase;
    this.#input.onPhase(phase);
  }
}
