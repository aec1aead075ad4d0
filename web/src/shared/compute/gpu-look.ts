// The appearance of a card for the user: the table behind squares, legend and tooltips.
import { inFull } from "@/shared/lib/person-name";
import type { Gpu, ServerView } from "./api";
import { isOpen, whyClosed } from "./server-state";
import { memoryText, secondsBetween, spanText, whenText } from "./text";

export type GpuLook = "free" | "mine" | "other" | "faulty" | "external" | "off";

export const lookLabels: Record<GpuLook, string> = {
  free: "空闲",
  mine: "我的",
  other: "他人",
  faulty: "故障",
  external: "外部占用",
  off: "不可用",
};

export type ServerOfGpus = Pick<
  ServerView,
  "state" | "schedulable" | "maintenanceNote" | "lastSeen" | "drain"
>;

export function lookOf(gpu: Gpu, server: ServerOfGpus): GpuLook {
  // The state of cards on an unreachable server is unknown.
  if (server.state !== "online") return "off";
  if (gpu.state === "faulty") return "faulty";
  if (gpu.lease) return gpu.lease.mine ? "mine" : "other";
  if (gpu.external) return "external";
  if (gpu.state === "missing") return "faulty";
  return gpu.state === "free" && gpu.allowed && isOpen(server) ? "free" : "off";
}

export const excludedText = "管理员已停用这张卡";

/** The card's holder, or the reason why it cannot be used. */
export function holderText(gpu: Gpu, server: ServerOfGpus): string {
  const closed = whyClosed(server);
  if (server.state !== "online" && closed) return closed;
  const user = gpu.lease && `${gpu.lease.mine ? "我" : inFull(gpu.lease)} · ${gpu.lease.instance}`;
  if (gpu.state === "faulty") return [`故障：${gpu.fault}`, user].filter(Boolean).join(" · ");
  if (user) return user;
  if (gpu.external) return `外部容器 ${gpu.external} 占用`;
  if (gpu.state === "missing") return "机器上找不到这张卡";
  if (gpu.state === "excluded") return excludedText;
  if (!gpu.allowed) return "没有分配给你";
  return closed ?? "空闲";
}

/** 利用率 99% · 显存 71.3 / 80 GB · 自 11-18 21:40（45 小时） */
export function busyText({ sample, memoryTotal, lease }: Gpu, now = new Date()): string {
  const parts = [
    sample?.utilization != null && `利用率 ${sample.utilization}%`,
    sample?.memoryUsed != null &&
      `显存 ${memoryText(sample.memoryUsed)}${memoryTotal > 0 ? ` / ${memoryText(memoryTotal)}` : ""}`,
    sample?.temperature != null && `${sample.temperature} °C`,
    lease && `自 ${whenText(lease.since, now)}（${spanText(secondsBetween(lease.since, now))}）`,
  ];
  return parts.filter(Boolean).join(" · ");
}

/** 8 张卡：空闲 2，我的 1，他人 5 */
export function summaryText(gpus: readonly Gpu[], server: ServerOfGpus): string {
  const looks = gpus.map((gpu) => lookOf(gpu, server));
  const counts = Object.entries(lookLabels)
    .map(([look, label]) => ({ label, count: looks.filter((other) => other === look).length }))
    .filter(({ count }) => count > 0);
  return `${gpus.length} 张卡：${counts.map(({ label, count }) => `${label} ${count}`).join("，")}`;
}

export const freeOf = (server: ServerView): Gpu[] =>
  server.gpus.filter((gpu) => lookOf(gpu, server) === "free");
