// How long a link still holds, in words.
import { fullTime } from "@/shared/lib/time";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Later dates are invalid in JavaScript only. */
const lastDate = 253_402_300_799;

const two = (more: number, unit: string, less: number, lessUnit: string) =>
  less === 0 ? `${more} ${unit}后过期` : `${more} ${unit} ${less} ${lessUnit}后过期`;

/** 永久有效, 2 天 4 小时后过期, 已过期. `expire` is in seconds since 1970, 0 for never. */
export function lastingText(expire: number, now = Date.now()): string {
  if (expire === 0) return "永久有效";
  const left = expire - Math.floor(now / 1000);
  if (left <= 0) return "已过期";
  if (left < minute) return `${left} 秒后过期`;
  if (left < hour) return `${Math.floor(left / minute)} 分钟后过期`;
  if (left < day) return two(Math.floor(left / hour), "小时", Math.floor((left % hour) / minute), "分钟");
  return two(Math.floor(left / day), "天", Math.floor((left % day) / hour), "小时");
}

/** The end, to the second; undefined when it is beyond the calendar. */
export const endText = (expire: number) =>
  expire === 0 || expire > lastDate ? undefined : `${fullTime(expire * 1000)} 到期`;
