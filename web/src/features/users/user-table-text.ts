// The text table of a batch of users: its template, reading a file of it, and the table with generated passwords.
import type { BatchReport } from "./api";

/** The column heads that the server knows; only the first is required. */
export const heads = [
  "用户名",
  "密码",
  "姓名",
  "邮箱",
  "手机",
  "用户组",
  "实例",
  "显卡",
  "CPU 核",
  "内存 GB",
  "网盘 GB",
];

// A byte order mark tells Excel that the file is UTF-8.
const MARK = "\uFEFF";

export const template = `${MARK}${heads.join(",")}\r\nzhangsan,,张三,zhangsan@example.com,13800000000,计算机视觉;语音,2,1,8,64,200\r\n`;

/** Excel in Chinese Windows saves CSV as GB 18030, everything else as UTF-8. */
export function decodeTable(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("gb18030").decode(bytes);
  }
}

/** Lines below the heads that hold anything. */
export function countRows(text: string): number {
  return Math.max(0, text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "").length - 1);
}

export type BatchLine = BatchReport["lines"][number];

/** The head of the column that a fault is about. */
const columnOf: Readonly<Record<string, string>> = {
  username: "用户名",
  password: "密码",
  name: "姓名",
  email: "邮箱",
  phone: "手机",
  groups: "用户组",
  instanceLimit: "实例",
  instanceLimitOffset: "临时增加",
  GPUNumlimit: "显卡",
  CPUPeriodQuota: "CPU 核",
  memoryLimit: "内存 GB",
  diskQuota: "网盘 GB",
};

/** The fault with its column, unless its words name that. */
function faultOf({ name, message }: BatchLine["fields"][number]): string {
  const column = columnOf[name];
  return column && !message.includes(column) ? `${column}：${message}` : message;
}

/** The faults of a line, in one sentence. */
export function faultsOf(line: BatchLine): string {
  const faults = line.fields.map(faultOf);
  if (line.message && !faults.includes(line.message)) faults.unshift(line.message);
  return faults.join("；");
}

function cell(text: string): string {
  // A spreadsheet would calculate it.
  const plain = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** The passwords that the server made, as CSV. */
export function passwordsCsv(lines: readonly BatchLine[]): string {
  const rows = withPassword(lines).map((line) =>
    [line.username, line.name, line.password].map(cell).join(","),
  );
  return `${MARK}${["用户名,姓名,初始密码", ...rows].join("\r\n")}\r\n`;
}

export function passwordsText(lines: readonly BatchLine[]): string {
  return withPassword(lines)
    .map(({ username, password }) => `${username}\t${password}`)
    .join("\n");
}

interface NewPassword {
  username: string;
  name: string;
  password: string;
}

export function withPassword(lines: readonly BatchLine[]): NewPassword[] {
  return lines.flatMap(({ ok, username, name, password }) =>
    ok && password ? [{ username, name, password }] : [],
  );
}
