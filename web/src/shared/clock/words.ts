// How far apart two clocks are, in words.
import { spanText } from "@/shared/lib/time";
import type { ClockState } from "./api";

/** A smaller difference is ignored: clocks are queried one after the other. */
const sameMs = 1000;

/** How far the system clock is ahead of another, such as 快 40 天 or 慢 2 天. */
export function aheadText(aheadMs: number): string {
  if (Math.abs(aheadMs) < sameMs) return "一致";
  return `${aheadMs > 0 ? "快" : "慢"} ${spanText(Math.abs(aheadMs))}`;
}

/** How far the system clock is ahead of the platform's trusted time, in milliseconds. */
export const aheadOfPlatform = ({ wall, now }: ClockState): number => Date.parse(wall) - Date.parse(now);
