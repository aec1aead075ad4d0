// States of a duty in a portal: one table for label, icon and colour, and when it may be run by hand.
import type { IconName } from "@/shared/theme/icon-shapes";
import type { StateTone } from "@/shared/ui/StateText";
import type { DutyFailure, DutyInPortal, DutyView } from "./api";

export type Standing = "held" | "failed" | "running" | "inactive" | "waiting" | "normal";

interface Look {
  label: string;
  icon: IconName;
  tone: StateTone;
}

export const looks: Record<Standing, Look> = {
  held: { label: "已暂停（系统时间异常）", icon: "pause", tone: "warning" },
  failed: { label: "失败", icon: "fault", tone: "error" },
  running: { label: "运行中", icon: "running", tone: "info" },
  inactive: { label: "未运行", icon: "minus", tone: "off" },
  waiting: { label: "等待首次运行", icon: "clock", tone: "off" },
  normal: { label: "正常", icon: "success", tone: "success" },
};

/** The failures: by server, and the last run where no server accounts for it. */
export function faultsOf({ last, failing }: DutyInPortal): DutyFailure[] {
  const error = last?.error;
  if (!error || failing.some((one) => one.error === error)) return failing;
  return [...failing, { server: "", error }];
}

/**
 * `trusted`: whether the responding portal trusts the clock; undefined while unknown. The response about the clock is
 * newer than the duty's last record.
 */
export function standingOf(
  duty: DutyView,
  at: DutyInPortal | undefined,
  trusted: boolean | undefined,
): Standing {
  if (!at) return "inactive";
  const held = at.here && trusted !== undefined ? duty.needsTrustedClock && !trusted : at.held;
  if (at.active && held) return "held";
  if (faultsOf(at).length > 0) return "failed";
  if (at.runningSince) return "running";
  if (!at.active) return "inactive";
  return at.last ? "normal" : "waiting";
}

/** Why a duty cannot be run by hand now. */
export function whyNot(duty: DutyView, trusted: boolean | undefined): string | undefined {
  if (duty.needsTrustedClock && trusted === false) return "系统时间异常，任务已暂停";
  if (!duty.portals.some(({ active }) => active)) return "这项任务现在没有在执行";
  return undefined;
}
