// Periods, moments and lengths of runs in words. Runs are seconds apart, so the platform's minutes are too coarse here.
import { spanText } from "@/shared/lib/time";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

/** 每 5 秒, 每分钟, 每 10 分钟, 每小时. */
export function periodText(millis: number): string {
  if (millis < SECOND) return `每 ${millis / SECOND} 秒`;
  const span = spanText(millis);
  return /^1 \S+$/.test(span) ? `每${span.slice(2)}` : `每 ${span}`;
}

/** 3 毫秒, 1.2 秒, 2 分钟 5 秒. */
export function tookText(millis: number): string {
  if (millis < 1) return "不到 1 毫秒";
  if (millis < SECOND) return `${millis} 毫秒`;
  if (millis < 60 * SECOND) return `${(millis / SECOND).toFixed(1)} 秒`;
  return spanText(millis);
}

/** The largest unit alone. */
function coarse(millis: number): string {
  if (millis < 60 * SECOND) return `${Math.floor(millis / SECOND)} 秒`;
  if (millis < HOUR) return `${Math.floor(millis / (60 * SECOND))} 分钟`;
  if (millis < DAY) return `${Math.floor(millis / HOUR)} 小时`;
  return `${Math.floor(millis / DAY)} 天`;
}

/** How long before `now` something was. Both in milliseconds, as `inText`. */
export function agoText(time: number, now: number): string {
  const passed = now - time;
  return passed < SECOND ? "刚刚" : `${coarse(passed)}前`;
}

/** How long after `now` something will be. */
export function inText(time: number, now: number): string {
  const left = time - now;
  return left < SECOND ? "即将" : `${coarse(left)}后`;
}

/** A smaller difference is due to the response time, not to the clocks. */
const unclearMs = 10 * SECOND;

/**
 * The platform's time at a reading of this browser's clock, derived from a response: the browser's clock may be wrong,
 * and the platform's may differ from all others.
 */
export function platformTime(at: number, told: string | undefined, toldAt: number): number {
  const ahead = told === undefined ? 0 : Date.parse(told) - toldAt;
  return Math.abs(ahead) < unclearMs ? at : at + ahead;
}
