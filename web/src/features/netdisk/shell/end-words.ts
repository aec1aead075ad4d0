// The message at the end of a command. Pure.
import type { End } from "./command";

const refusals: Record<string, string> = {
  "Command not allowed.": "不在允许的命令里",
  "Unbalanced quotes.": "引号没有配对",
  "Too many commands are running.": "正在运行的命令太多，请稍后再试",
  "No command came.": "没有收到命令",
  "(killed: no longer allowed)": "登录已结束，或者权限已收回",
};

/** Lines of the server's own, behind which the command was killed. */
const killed: Record<string, string> = {
  "(killed: too long)": "运行时间太长，已结束",
  "(killed: too much output)": "输出太多，已结束",
  "(killed: over quota)": "超出网盘配额，已结束",
  "(killed: disk full)": "磁盘快满了，已结束",
  "(killed: no longer allowed)": "登录已结束，或者权限已收回，命令已结束",
  "(killed: too many processes or too much memory)": "占用的进程或内存太多，已结束",
};

interface EndWords {
  /** Null after success. */
  words: string | null;
  /** They replace the last printed line. */
  instead: boolean;
}

/** `said` is the last received line, `line` the command. */
export function endWords(end: End, said: string, line: string): EndWords {
  if (end.kind === "broken") return { words: end.reason, instead: false };
  if (end.kind === "refused") {
    const reason = refusals[end.reason] ?? end.reason;
    return { words: `没有运行 ${line}：${reason}`, instead: said === end.reason };
  }
  const why = killed[said];
  if (end.status !== 0 && why) return { words: `${why}（退出状态 ${end.status}）`, instead: true };
  return { words: end.status === 0 ? null : `退出状态 ${end.status}`, instead: false };
}
