// A card's outages and Xids in words.
import type { StateTone } from "@/shared/ui/StateText";
import type { CardOutage, CardXid } from "./api";

export const reasonLabels: Readonly<Record<CardOutage["reason"], string>> = {
  manual: "手工标记",
  unreadable: "读不到数据",
  lost: "掉卡",
  needs_reset: "需要重置",
  memory_errors: "ECC 错误",
  rows_pending: "显存等待替换",
  rows_failed: "显存替换失败",
  xid: "Xid",
};

export const classLooks: Readonly<Record<CardXid["class"], { label: string; tone: StateTone }>> = {
  fatal: { label: "硬件故障", tone: "error" },
  needs_reset: { label: "需要重置", tone: "error" },
  application: { label: "程序出错", tone: "warning" },
  information: { label: "仅供参考", tone: "off" },
};

/** How it was seen and how it ended: `平台发现；admin 试运行通过：连续读取 3 次都正常`. */
export function courseText({ seenBy, ending, endedBy, result }: CardOutage): string {
  const seen = seenBy ? `${seenBy} 标记` : "平台发现";
  if (!ending) return seen;
  const end = ending === "tested" ? `${endedBy} 试运行通过` : `${endedBy} 直接恢复`;
  return `${seen}；${end}${result ? `：${result}` : ""}`;
}
