// How a line of a kernel's log looks, and a machine's facts in words.
import type { IconName } from "@/shared/theme/icon-shapes";
import type { StateTone } from "@/shared/ui/StateText";
import type { Machine, MachineLogLine } from "./api";

/** 4 and less: a warning or worse. */
export const isWarning = ({ level }: Pick<MachineLogLine, "level">) => level <= 4;

interface LevelLook {
  label: string;
  icon: IconName;
  tone: StateTone;
}

export function levelLook(level: number): LevelLook {
  if (level <= 2) return { label: "严重", icon: "alert", tone: "error" };
  if (level === 3) return { label: "错误", icon: "alert", tone: "error" };
  if (level === 4) return { label: "警告", icon: "alert", tone: "warning" };
  return { label: level === 7 ? "调试" : "信息", icon: "info", tone: "off" };
}

export function uptimeText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  if (days > 0) return `${days} 天 ${hours} 小时`;
  if (hours > 0) return `${hours} 小时 ${minutes % 60} 分钟`;
  return `${minutes} 分钟`;
}

type Quota = NonNullable<Machine["storage"]>["projectQuota"];

const quotas: Readonly<Record<Quota, string>> = {
  on: "项目配额已开启",
  off: "项目配额没有开启",
  not_supported: "不支持项目配额",
};

export const quotaText = (quota: Quota): string => quotas[quota];
