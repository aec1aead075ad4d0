// One command on the storage host: the socket that sends the line and receives its output, until it ends.
import { askDisk, diskClient } from "@/shared/api/disk-client";
import { asApiError } from "@/shared/api/problem";
import { socketBlockedWords } from "@/shared/api/proxies";
import { signedSocketAddress } from "@/shared/api/signed-address";
import { diskAddress } from "../disk-address";

/** How a command ended. */
export type End =
  /** `status` in the shell's convention. */
  | { kind: "exited"; status: number }
  /** It was not run; the server's reason, in English. */
  | { kind: "refused"; reason: string }
  /** Whether it began or how it ended is unknown; the reason is worded for people. */
  | { kind: "broken"; reason: string };

export interface CommandEvents {
  onLine: (line: string) => void;
  onEnd: (end: End) => void;
}

// Close codes of the contract (DISK_API), and of the protocol itself.
const normal = 1000;
const serverStops = 1001;
const refused = 1008;
const tooLarge = 1009;
const failed = 1011;

function broken(code: number, reason: string): string {
  if (code === serverStops) return "服务器正在停止，命令已结束";
  if (code === tooLarge) return "命令太长";
  return code === failed ? `命令没有运行起来：${reason}` : "连接断开，命令已结束";
}

/** Starts it in a folder; the returned function ends it, and no event follows. */
export function runCommand(host: string, folder: string, line: string, on: CommandEvents): () => void {
  let socket: WebSocket | null = null;
  let over = false;
  const end = (how: End) => {
    if (over) return;
    over = true;
    on.onEnd(how);
  };

  async function start() {
    const address = await signedSocketAddress(diskAddress(host, "command", folder));
    if (over) return;
    const opened = new WebSocket(address);
    socket = opened;
    let isOpen = false;
    opened.onopen = () => {
      isOpen = true;
      opened.send(line);
    };
    opened.onmessage = ({ data }) => {
      if (!over) on.onLine(String(data));
    };
    opened.onclose = ({ code, reason }) => {
      if (!isOpen) void refusal(host, folder).then((why) => end({ kind: "broken", reason: why }));
      else if (code === normal && /^\d+$/.test(reason)) end({ kind: "exited", status: Number(reason) });
      else if (code === refused) end({ kind: "refused", reason });
      else end({ kind: "broken", reason: broken(code, reason) });
    };
  }

  start().catch((cause: unknown) => end({ kind: "broken", reason: asApiError(cause).message }));
  return () => {
    over = true;
    socket?.close();
  };
}

/** Browsers do not report why a socket did not open; the same call without an upgrade does. */
async function refusal(host: string, folder: string): Promise<string> {
  try {
    await askDisk(diskClient(host).GET("/api/command/{path}", { params: { path: { path: folder } } }));
  } catch (cause) {
    const { status, message } = asApiError(cause);
    if (status === 403) return "不能在网盘里运行命令：没有权限，或有限制访问的规则";
    // 400 is the answer without an upgrade: with one it would be accepted.
    if (status !== 400) return message;
  }
  return `命令没有运行：${socketBlockedWords}`;
}
