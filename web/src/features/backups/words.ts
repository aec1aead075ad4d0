// How old a backup is, and whether that is too old.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** One is made every day. */
const tooOldMs = 3 * DAY;

const ageOf = (finished: string, now: string) => Math.max(0, Date.parse(now) - Date.parse(finished));

/** 刚刚, 5 分钟前, 20 小时前, 3 天前: by the platform's clock. */
export function ageText(finished: string, now: string): string {
  const age = ageOf(finished, now);
  if (age < MINUTE) return "刚刚";
  if (age < HOUR) return `${Math.floor(age / MINUTE)} 分钟前`;
  if (age < 2 * DAY) return `${Math.floor(age / HOUR)} 小时前`;
  return `${Math.floor(age / DAY)} 天前`;
}

export const isTooOld = (finished: string, now: string) => ageOf(finished, now) > tooOldMs;
