import { describe, expect, it, vi } from "vitest";
import { firstShell } from "./first-shell";
import { modified } from "./keys";
import { Line, type Socket } from "./line";
import { Outlet } from "./outlet";
import { type Happening, next, type Phase, readMessage } from "./phase";

class FakeSocket implements Socket {
  binaryType: BinaryType = "blob";
  onopen: WebSocket["onopen"] = null;
  onmessage: WebSocket["onmessage"] = null;
  onclose: WebSocket["onclose"] = null;
  readyState: WebSocket["readyState"] = 0;
  sent: unknown[] = [];
  send = (data: unknown) => void this.sent.push(data);
  close = () => {
    this.readyState = 3;
  };

  open() {
    this.readyState = 1;
    this.onopen?.call(this.asSocket, new Event("open"));
  }
  say(data: unknown) {
    const frame = data instanceof ArrayBuffer ? data : JSON.stringify(data);
    this.onmessage?.call(this.asSocket, new MessageEvent("message", { data: frame }));
  }
  end(code: number) {
    this.readyState = 3;
    this.onclose?.call(this.asSocket, new CloseEvent("close", { code }));
  }
  get asSocket(): never {
    return this as never;
  }
}

/** A line over sockets that the test holds. */
function makeLine({ login = false, refused = { status: 404, words: "实例不存在" } } = {}) {
  const sockets: FakeSocket[] = [];
  const phases: Phase[] = [];
  const heard: Uint8Array[] = [];
  const line = new Line({
    manner: { login },
    dial: async () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    refusal: async () => refused,
    size: () => ({ cols: 80, rows: 24 }),
    onPhase: (phase) => phases.push(phase),
    onBytes: (bytes) => heard.push(bytes),
  });
  const socket = async (nth = sockets.length) => {
    await vi.waitFor(() => expect(sockets.length).toBeGreaterThan(nth));
    const at = sockets[nth];
    if (!at) throw new Error("no socket");
    // The connection adds its listeners shortly after the socket was created.
    await vi.waitFor(() => expect(at.onopen).not.toBeNull());
    return at;
  };
  return { line, sockets, phases, heard, socket };
}

const web = { login: false };
const ssh = { login: true };
const open: Phase = { kind: "open" };
const connecting: Phase = { kind: "connecting", attempt: 0 };
const closed = (code: number, said: string | null = null): Happening => ({ type: "closed", code, said });

describe("phases of a line", () => {
  it.each([
    ["a broken line is tried again", open, closed(1006), web, { kind: "waiting", attempt: 1, delay: 1 }],
    [
      "an engine that is away is tried again",
      open,
      closed(4000, "引擎失联"),
      web,
      { kind: "waiting", words: "引擎失联" },
    ],
    [
      "a stopped instance ends it",
      open,
      closed(4001),
      web,
      { kind: "over", words: "实例已停止，终端已断开" },
    ],
    [
      "so does the end of the rights",
      open,
      closed(4003, "已被收回"),
      web,
      { kind: "over", words: "已被收回" },
    ],
    ["and the end of the shell", open, closed(1000), web, { kind: "over", failed: false }],
    ["SSH never comes back by itself", open, closed(1006), ssh, { kind: "over", failed: true }],
    [
      "a refused line says why",
      connecting,
      { type: "refused", status: 409, words: "没有运行" },
      web,
      { kind: "over", words: "没有运行" },
    ],
    [
      "no answer is no refusal",
      connecting,
      { type: "refused", status: 0, words: "断网" },
      web,
      { kind: "waiting", words: "断网" },
    ],
    [
      "the third wrong login leaves the form",
      { kind: "login", fault: "错" },
      closed(4003),
      ssh,
      { kind: "login", fault: "错" },
    ],
  ] satisfies [string, Phase, Happening, { login: boolean }, Partial<Phase>][])(
    "%s",
    (_name, phase, happening, manner, expected) => {
      expect(next(phase, happening, manner)).toMatchObject(expected);
    },
  );

  it("the tries come slower and slower, and begin anew after a good one", () => {
    let phase: Phase = open;
    const delays: number[] = [];
    for (let tries = 0; tries < 10; tries += 1) {
      phase = next(phase, closed(1006), web);
      if (phase.kind === "waiting") delays.push(phase.delay);
    }
    expect(delays).toEqual([1, 2, 3, 5, 8, 13, 20, 30, 30, 30]);
  });

  it("frames that nobody knows are left out", () => {
    expect(readMessage("no json")).toBeNull();
    expect(readMessage('{"type":"new"}')).toBeNull();
    expect(readMessage('{"type":"exit","code":3}')).toEqual({ type: "exit", code: 3 });
  });
});

describe("a line", () => {
  it("S049 carries bytes both ways, in frames that a server takes", async () => {
    const { line, heard, socket } = makeLine();
    line.begin();
    const first = await socket(0);
    line.send(new Uint8Array(1));
    expect(first.sent).toEqual([]);
    first.open();
    line.send(new Uint8Array(40_000));
    expect(first.sent.map((frame) => (frame as Uint8Array).length)).toEqual([16_384, 16_384, 7232]);
    line.resize({ cols: 100, rows: 30 });
    expect(first.sent.at(-1)).toBe('{"type":"resize","cols":100,"rows":30}');
    first.say(new Uint8Array([228, 184, 173]).buffer);
    expect(new TextDecoder().decode(heard[0])).toBe("中");
  });

  it("comes back after it broke, and does not hear what the old socket says", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const { line, phases, heard, sockets, socket } = makeLine();
    line.begin();
    const first = await socket(0);
    first.open();
    first.end(1006);
    expect(phases.at(-1)).toMatchObject({ kind: "waiting", attempt: 1 });
    await vi.advanceTimersByTimeAsync(1000);
    const second = await socket(1);
    second.open();
    expect(phases.at(-1)).toEqual(open);
    first.say(new ArrayBuffer(1));
    expect(heard).toEqual([]);
    line.close();
    second.end(1006);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sockets).toHaveLength(2);
    vi.useRealTimers();
  });

  it("asks why it was not let in", async () => {
    const { line, phases, socket } = makeLine();
    line.begin();
    (await socket(0)).end(1006);
    await vi.waitFor(() =>
      expect(phases.at(-1)).toEqual({ kind: "over", failed: true, words: "实例不存在" }),
    );
  });

  it("S050 SSH: an unknown host is asked about, a wrong password may be typed again", async () => {
    const { line, phases, socket } = makeLine({ login: true });
    line.begin();
    expect(line.phase).toEqual({ kind: "login", fault: null });
    line.login({ username: "root", password: "one" });
    const only = await socket(0);
    only.open();
    expect(only.sent).toEqual(['{"type":"login","username":"root","password":"one","cols":80,"rows":24}']);
    only.say({ type: "hostKey", algorithm: "ssh-ed25519", fingerprint: "SHA256:a", known: false });
    expect(phases.at(-1)).toEqual({ kind: "hostKey", algorithm: "ssh-ed25519", fingerprint: "SHA256:a" });
    line.trust();
    expect(only.sent.at(-1)).toBe('{"type":"trust"}');
    only.say({ type: "error", reason: "authentication", detail: "用户名或密码错误" });
    expect(phases.at(-1)).toEqual({ kind: "login", fault: "用户名或密码错误" });
    line.login({ username: "root", password: "two" });
    only.say({ type: "ready" });
    expect(phases.at(-1)).toEqual(open);
  });

  it("SSH: a changed key is refused with both fingerprints", async () => {
    const { line, phases, socket } = makeLine({ login: true });
    line.login({ username: "root", password: "one" });
    const only = await socket(0);
    only.open();
    only.say({
      type: "error",
      reason: "hostKeyChanged",
      detail: "变了",
      expected: "SHA256:a",
      offered: "SHA256:b",
    });
    only.end(4010);
    const changedKey = { expected: "SHA256:a", offered: "SHA256:b" };
    expect(phases.at(-1)).toEqual({ kind: "over", failed: true, words: "变了", changedKey });
  });
});

describe("what is printed", () => {
  it("is drawn in its order, and of too much the newest stays", () => {
    const drawn: number[] = [];
    const waiting: (() => void)[] = [];
    const lost: number[] = [];
    const mebi = 1024 * 1024;
    const outlet = new Outlet(
      (bytes, done) => {
        drawn.push(bytes[0] ?? -1);
        waiting.push(done);
      },
      (bytes, done) => {
        lost.push(bytes);
        waiting.push(done);
      },
    );
    for (let mark = 0; mark < 40; mark += 1) outlet.push(new Uint8Array(mebi).fill(mark));
    expect(drawn).toEqual([0]);
    for (let done = waiting.shift(); done; done = waiting.shift()) done();
    expect(drawn.at(-1)).toBe(39);
    expect(drawn).toEqual(drawn.toSorted((a, b) => a - b));
    expect(lost).toHaveLength(1);
  });

  it("what is said of the line stands below all that came before it", () => {
    const drawn: string[] = [];
    const waiting: (() => void)[] = [];
    const outlet = new Outlet(
      (bytes, done) => {
        drawn.push(`${bytes[0]}`);
        waiting.push(done);
      },
      (_, done) => done(),
    );
    for (const mark of [1, 2]) outlet.push(Uint8Array.of(mark));
    outlet.after((done) => {
      drawn.push("over");
      done();
    });
    outlet.push(Uint8Array.of(3));
    expect(drawn).toEqual(["1"]);
    for (let done = waiting.shift(); done; done = waiting.shift()) done();
    expect(drawn).toEqual(["1", "2", "over", "3"]);
  });
});

describe("a phone's keys", () => {
  it.each([
    ["c", "ctrl", "\u0003"],
    ["[", "ctrl", "\u001b"],
    ["中", "ctrl", "中"],
    ["b", "alt", "\u001bb"],
    ["pasted", "ctrl", "pasted"],
    ["x", null, "x"],
  ] as const)("%s with %s", (typed, held, sent) => {
    expect(modified(typed, held)).toBe(sent);
  });
});

describe("the first shell", () => {
  it("is the one that the address names, or else the best that the instance has", () => {
    const known = { shells: ["bash", "sh"], pending: false };
    expect(firstShell("sh", known)).toBe("sh");
    expect(firstShell("auto", known)).toBe("bash");
    expect(firstShell("auto", { shells: undefined, pending: true })).toBeUndefined();
    expect(firstShell("auto", { shells: [], pending: false })).toBe("sh");
    expect(firstShell("auto", { shells: undefined, pending: false })).toBe("sh");
  });
});
