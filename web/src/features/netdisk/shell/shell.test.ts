import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { socketBlockedWords } from "@/shared/api/proxies";
import { clearSession, setSession } from "@/shared/stores/session";
import { json, serve, signedIn } from "@/test-server";
import { endWords } from "./end-words";
import { noHistory, remember, walk } from "./history";
import { plainText } from "./plain-text";
import { cancel, enter, recall, setOpen, useShell } from "./shell-store";
import { emptyTranscript, mostLetters, mostLines, print, put, takeBack } from "./transcript";

describe("what a program prints", () => {
  it.each([
    ["plain", "plain"],
    ["\u001b[1;31mred\u001b[0m and \u001b[38;5;12mblue\u001b[m", "red and blue"],
    ["\u001b]0;title\u0007after", "after"],
    ["\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["\u001bP1;2|secret\u001b\\shown", "shown"],
    ["\u001b[2J\u001b[Hclean", "clean"],
    ["\u009b31mred", "red"],
    ["\u001b(Bset", "set"],
    ["cut \u001b[", "cut "],
    ["cut \u001b", "cut "],
    ["10%\r50%\r100%", "100%"],
    ["ends so\r", "ends so"],
    ["N\bNA\bAM\bME\bE", "NAME"],
    ["a\tb", "a\tb"],
    ["bell\u0007 and nul\u0000", "bell␇ and nul␀"],
    ["<script>alert(1)</script>", "<script>alert(1)</script>"],
    ["中文 😀", "中文 😀"],
  ])("%j is read as %j", (raw, read) => {
    expect(plainText(raw)).toBe(read);
  });
});

describe("the transcript", () => {
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => String(from + index));

  it("adds lines to the last block, and leaves full ones as they are", () => {
    const first = print(emptyTranscript, numbers(0, 130));
    expect(first.blocks.map(({ lines }) => lines.length)).toEqual([100, 30]);
    const second = print(first, numbers(130, 250));
    expect(second.blocks.map(({ lines }) => lines.length)).toEqual([100, 100, 50]);
    expect(second.blocks[0]).toBe(first.blocks[0]);
    expect(second.blocks.flatMap(({ lines }) => lines)).toEqual(numbers(0, 250));
    const other = print(put(second, { kind: "command", folder: "/", lines: ["ls"] }), ["x"]);
    expect(other.blocks.map(({ kind }) => kind).slice(-2)).toEqual(["command", "output"]);
  });

  it("keeps the last lines and counts the others", () => {
    const all = print(emptyTranscript, numbers(0, mostLines + 250), 7);
    const kept = all.blocks.flatMap(({ lines }) => lines);
    expect(kept.length).toBeLessThanOrEqual(mostLines);
    expect(kept.at(-1)).toBe(String(mostLines + 249));
    expect(all.omitted + kept.length).toBe(mostLines + 257);
  });

  it("keeps fewer lines where they are long", () => {
    const all = print(emptyTranscript, Array(1_000).fill("x".repeat(8_000)));
    const kept = all.blocks.flatMap(({ lines }) => lines);
    expect(kept.join("").length).toBeLessThanOrEqual(mostLetters);
    expect(all.omitted + kept.length).toBe(1_000);
  });

  it("takes back the last line, if it is that one", () => {
    const printed = print(emptyTranscript, ["a", "b"]);
    expect(takeBack(printed, "b").blocks.at(-1)?.lines).toEqual(["a"]);
    expect(takeBack(printed, "a")).toBe(printed);
    expect(takeBack(print(emptyTranscript, ["b"]), "b").blocks).toEqual([]);
  });
});

describe("the history", () => {
  it("S195 walks back to the first line and forth to what was being typed", () => {
    let history = ["ls", "pwd", "pwd", "cat a"].reduce(remember, noHistory);
    expect(history.lines).toEqual(["ls", "pwd", "cat a"]);
    const seen: (string | undefined)[] = [];
    for (const step of [-1, -1, -1, -1, 1, 1, 1, 1] as const) {
      const walked = walk(history, "draft", step);
      if (walked) history = walked[0];
      seen.push(walked?.[1]);
    }
    expect(seen).toEqual(["cat a", "pwd", "ls", undefined, "pwd", "cat a", "draft", undefined]);
  });
});

describe("the end of a command", () => {
  it.each([
    [{ kind: "exited", status: 0 }, "", null, false],
    [{ kind: "exited", status: 7 }, "x", "退出状态 7", false],
    [{ kind: "exited", status: 137 }, "(killed: too long)", "运行时间太长，已结束（退出状态 137）", true],
    [{ kind: "exited", status: 0 }, "(killed: too long)", null, false],
    [{ kind: "exited", status: 137 }, "(killed: over quota)", "超出网盘配额，已结束（退出状态 137）", true],
    [{ kind: "exited", status: 137 }, "(killed: disk full)", "磁盘快满了，已结束（退出状态 137）", true],
    [
      { kind: "exited", status: 137 },
      "(killed: no longer allowed)",
      "登录已结束，或者权限已收回，命令已结束（退出状态 137）",
      true,
    ],
    [
      { kind: "refused", reason: "Command not allowed." },
      "Command not allowed.",
      "没有运行 rm x：不在允许的命令里",
      true,
    ],
    [{ kind: "broken", reason: "连接断开，命令已结束" }, "x", "连接断开，命令已结束", false],
  ] as const)("%j after %j says %j", (end, said, words, instead) => {
    expect(endWords(end, said, "rm x")).toEqual({ words, instead });
  });
});

/** A socket whose other end is the test. */
class FakeSocket {
  static opened: FakeSocket[] = [];
  sent: string[] = [];
  closed = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;

  constructor(readonly url: URL) {
    FakeSocket.opened.push(this);
  }

  send(line: string) {
    this.sent.push(line);
  }

  close() {
    this.closed = true;
  }
}

describe("running a command", () => {
  const answers = {
    "POST /api/tickets": () => json({ ticket: "t1", expires: "2026-11-20T10:00:00.000Z" }),
  };
  const shown = () => useShell.getState().transcript.blocks.map(({ kind, lines }) => [kind, ...lines]);

  async function start(line: string): Promise<FakeSocket> {
    enter("/disk", "/home/数据 1/", line);
    await vi.waitFor(() => expect(FakeSocket.opened).toHaveLength(1));
    const [socket] = FakeSocket.opened;
    if (!socket) throw new Error("no socket");
    return socket;
  }

  beforeEach(() => {
    signedIn();
    setSession({ id: 7 });
    FakeSocket.opened = [];
    vi.stubGlobal("WebSocket", FakeSocket);
  });

  afterEach(() => clearSession());

  it("S366 goes by ticket to the folder, shows the lines and the status, and counts the end", async () => {
    const server = serve(answers);
    const socket = await start("  sh -c 'exit 7' ");
    expect(socket.url.href).toBe("ws://lab.test/disk/api/command/home/%E6%95%B0%E6%8D%AE%201/?auth=t1");
    const ticket = server.calls.find(({ key }) => key === "POST /api/tickets");
    expect(JSON.parse(ticket?.body ?? "")).toEqual({
      path: "/disk/api/command/home/%E6%95%B0%E6%8D%AE%201/",
      method: "GET",
    });
    socket.onopen?.();
    expect(socket.sent).toEqual(["sh -c 'exit 7'"]);
    socket.onmessage?.({ data: "one" });
    await vi.waitFor(() => expect(shown().at(-1)).toEqual(["output", "one"]));
    expect(useShell.getState().running).toBe("sh -c 'exit 7'");
    socket.onmessage?.({ data: "two" });
    socket.onclose?.({ code: 1000, reason: "7" });
    expect(shown()).toEqual([
      ["command", "sh -c 'exit 7'"],
      ["output", "one", "two"],
      ["fault", "退出状态 7"],
    ]);
    expect(useShell.getState()).toMatchObject({ running: null, status: 7, ended: 1 });
  });

  it("S275 S276 S277 nothing is nothing, clear empties, exit closes: none of them reaches the server", () => {
    serve();
    setOpen(true);
    enter("/disk", "/", "   ");
    expect(useShell.getState().history.lines).toEqual([]);
    useShell.setState({ transcript: print(emptyTranscript, ["x"]) });
    enter("/disk", "/", " clear ");
    expect(shown()).toEqual([]);
    enter("/disk", "/", "exit");
    expect(useShell.getState().open).toBe(false);
    expect(FakeSocket.opened).toEqual([]);
    expect(recall("", -1)).toBe("exit");
    expect(recall("", -1)).toBe("clear");
  });

  it("a second line waits for nobody: while one runs there is no other", async () => {
    serve(answers);
    await start("sleep 9");
    enter("/disk", "/", "ls");
    expect(useShell.getState().running).toBe("sleep 9");
    expect(shown()).toEqual([["command", "sleep 9"]]);
  });

  it("stopping closes the socket, and nothing of it is told afterwards", async () => {
    serve(answers);
    const socket = await start("sleep 9");
    socket.onopen?.();
    cancel();
    expect(socket.closed).toBe(true);
    socket.onmessage?.({ data: "late" });
    socket.onclose?.({ code: 1006, reason: "" });
    expect(shown()).toEqual([
      ["command", "sleep 9"],
      ["note", "^C 已停止"],
    ]);
    expect(useShell.getState()).toMatchObject({ running: null, ended: 1 });
  });

  it.each([
    [1006, "", "连接断开，命令已结束"],
    [1001, "the server stops", "服务器正在停止，命令已结束"],
    [1011, "the sandbox could not be started", "命令没有运行起来：the sandbox could not be started"],
  ])("a socket that ends with %i %j says why", async (code, reason, words) => {
    serve(answers);
    const socket = await start("ls");
    socket.onopen?.();
    socket.onclose?.({ code, reason });
    expect(shown().at(-1)).toEqual(["fault", words]);
  });

  it.each([
    [403, "403 Forbidden", "不能在网盘里运行命令：没有权限，或有限制访问的规则"],
    [404, "404 Not Found", "文件或文件夹不存在"],
    [400, "400 Bad Request (not a websocket)", `命令没有运行：${socketBlockedWords}`],
  ])("a socket that does not open has a %i behind it", async (status, line, words) => {
    serve({
      ...answers,
      "GET /disk/api/command/home/%E6%95%B0%E6%8D%AE%201/": () => new Response(`${line}\n`, { status }),
    });
    const socket = await start("ls");
    socket.onclose?.({ code: 1006, reason: "" });
    await vi.waitFor(() => expect(shown().at(-1)).toEqual(["fault", words]));
  });

  it("somebody else who signs in sees nothing of it, and what runs is ended", async () => {
    serve(answers);
    const socket = await start("sleep 9");
    socket.onopen?.();
    setSession({ id: 8 });
    expect(socket.closed).toBe(true);
    expect(useShell.getState()).toMatchObject({ running: null, open: false });
    expect(shown()).toEqual([]);
    expect(recall("", -1)).toBeNull();
  });
});
