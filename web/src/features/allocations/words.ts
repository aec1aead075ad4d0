// Allocations in words.
import { coresText, memoryText, whenText } from "@/shared/compute/text";
import type { Allocation, Subject } from "./api";

export const subjectLabels: Record<Subject, string> = { everyone: "所有人", user: "用户", group: "用户组" };
export const modeLabels: Record<Allocation["mode"], string> = { shared: "共享", exclusive: "独占" };

export const isSubject = (text: string | undefined): text is Subject =>
  text !== undefined && text in subjectLabels;

export const subjectOptions = Object.entries(subjectLabels).map(([value, label]) => ({ value, label }));

/** 所有人; 用户组 计算机视觉; marks a deleted person or group. */
export function whoText({ subject, subjectName }: Pick<Allocation, "subject" | "subjectName">): string {
  if (subject === "everyone") return subjectLabels.everyone;
  return `${subjectLabels[subject]} ${subjectName || "（已删除）"}`;
}

export const gpusText = ({ gpus }: Pick<Allocation, "gpus">) =>
  gpus.length === 0 ? "全部卡" : `${gpus.length} 张卡`;

/** 每人 2 个实例 · 4 张卡 · 16 核 · 64 GB; nothing when there is no limit. */
export function limitsText({ limits }: Pick<Allocation, "limits">): string {
  const { instances = 0, gpus = 0, cpu = 0, memory = 0 } = limits;
  const parts = [
    instances > 0 && `${instances} 个实例`,
    gpus > 0 && `${gpus} 张卡`,
    cpu > 0 && coresText(cpu),
    memory > 0 && memoryText(memory),
  ].filter(Boolean);
  return parts.length > 0 ? `每人 ${parts.join(" · ")}` : "";
}

export function validityText({
  validFrom,
  validUntil,
}: Pick<Allocation, "validFrom" | "validUntil">): string {
  if (!validFrom && !validUntil) return "长期";
  if (!validFrom) return `至 ${whenText(validUntil ?? "")}`;
  return `${whenText(validFrom)} 起${validUntil ? `，至 ${whenText(validUntil)}` : ""}`;
}
