// Formats points in time. One place for all of them, so that all pages agree.
import dayjs from "dayjs";

export type Instant = string | number | Date;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Seconds and milliseconds since the epoch are distinguished by length: ten digits are seconds. */
export function toDate(value: Instant): Date {
  if (value instanceof Date) return value;
  const text = String(value);
  if (/^\d{10}$/.test(text)) return new Date(Number(text) * 1000);
  if (/^\d+$/.test(text)) return new Date(Number(text));
  return new Date(value);
}

const secondsSince = (value: Instant, now: Date) =>
  Math.max(0, Math.floor((now.getTime() - toDate(value).getTime()) / 1000));

/** The age in words, as on the platform's pages. */
export function relativeTime(value: Instant, now = new Date()): string {
  const seconds = secondsSince(value, now);
  if (seconds < HOUR) return `${Math.max(1, Math.floor(seconds / MINUTE))} 分钟前`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} 小时前`;
  return `${Math.floor(seconds / DAY)} 天前`;
}

/** How old data is: by the second while it is younger than a minute. */
export function agoText(value: Instant, now = new Date()): string {
  const seconds = secondsSince(value, now);
  return seconds < MINUTE ? `${seconds} 秒前` : relativeTime(value, now);
}

/** The age in words, as on the network disk: from two days on it is the date. */
export function fileTime(value: Instant, now = new Date()): string {
  const seconds = secondsSince(value, now);
  if (seconds < 30) return "刚刚";
  if (seconds < HOUR) return `${Math.max(1, Math.floor(seconds / MINUTE))} 分钟前`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} 小时前`;
  if (seconds < 2 * DAY) return "1 天前";
  return shortTime(value, now);
}

/** How old a count is: 刚刚统计, 统计于 4 分钟前. */
export function countedText(value: Instant, now = new Date()): string {
  return secondsSince(value, now) < MINUTE ? "刚刚统计" : `统计于 ${relativeTime(value, now)}`;
}

/** How long something lasts, rounded to minutes from an hour on: 12 秒, 5 分钟, 5 小时 20 分钟, 40 天. */
export function spanText(millis: number): string {
  const seconds = Math.round(millis / 1000);
  if (seconds < MINUTE) return `${seconds} 秒`;
  if (seconds < HOUR) return twoUnits(seconds, [MINUTE, "分钟"], [1, "秒"]);
  const whole = Math.round(seconds / MINUTE) * MINUTE;
  if (whole < DAY) return twoUnits(whole, [HOUR, "小时"], [MINUTE, "分钟"]);
  return twoUnits(whole, [DAY, "天"], [HOUR, "小时"]);
}

type Unit = readonly [size: number, name: string];

function twoUnits(seconds: number, [large, name]: Unit, [small, rest]: Unit): string {
  const left = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)} ${name}${left > 0 ? ` ${left} ${rest}` : ""}`;
}

/** 18:22 today, 昨天 18:22 yesterday, 11-18 this year, 2025-11-18 before. */
export function shortTime(value: Instant, now = new Date()): string {
  const at = dayjs(toDate(value));
  const today = dayjs(now).startOf("day");
  if (at.isSame(today, "day")) return at.format("HH:mm");
  if (at.isSame(today.subtract(1, "day"), "day")) return `昨天 ${at.format("HH:mm")}`;
  return at.format(at.isSame(today, "year") ? "MM-DD" : "YYYY-MM-DD");
}

/** The whole of it, for tables, tooltips and logs. */
export function fullTime(value: Instant): string {
  return dayjs(toDate(value)).format("YYYY-MM-DD HH:mm:ss");
}

/** To the minute: for times whose seconds do not matter. */
export function minuteTime(value: Instant): string {
  return dayjs(toDate(value)).format("YYYY-MM-DD HH:mm");
}
