// The hours of each period, divided into used, idle and not measured.
import type { UsagePoint } from "./api";

export interface PeriodBar {
  /** 11-20 of a day, 2026-11 of a month. */
  label: string;
  used: number;
  idle: number;
  unmeasured: number;
}

export const parts = [
  { key: "used", name: "实际使用" },
  { key: "idle", name: "空闲" },
  { key: "unmeasured", name: "未测量" },
] as const;

const round = (hours: number) => Math.max(0, Math.round(hours * 100) / 100);

/** A bar for every period, also for those without usage. */
export function barsOf(points: readonly UsagePoint[], periods: readonly string[]): PeriodBar[] {
  const found = new Map(points.map((point) => [point.period, point]));
  return periods.map((period) => {
    const { heldHours = 0, usedHours = 0, unmeasuredHours = 0 } = found.get(period) ?? {};
    return {
      label: period.length === 10 ? period.slice(5) : period,
      used: usedHours,
      idle: round(heldHours - usedHours - unmeasuredHours),
      unmeasured: unmeasuredHours,
    };
  });
}
