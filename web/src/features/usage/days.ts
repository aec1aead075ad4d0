// Days of the lab's time, +08:00 wherever the reader is, as the API writes them: 2026-11-20.
import dayjs from "dayjs";

export interface Days {
  from: string;
  to: string;
}

const HOUR_MS = 3_600_000;

export const isDay = (text: string | null): text is string =>
  text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && dayjs(text).format("YYYY-MM-DD") === text;

export const labToday = (now = Date.now()): string => new Date(now + 8 * HOUR_MS).toISOString().slice(0, 10);

const write = (day: dayjs.Dayjs) => day.format("YYYY-MM-DD");

export const ranges = ["week", "month", "last", "30d", "custom"] as const;
export type Range = (typeof ranges)[number];

export const rangeLabels: Record<Range, string> = {
  week: "本周",
  month: "本月",
  last: "上月",
  "30d": "近 30 天",
  custom: "自定义",
};

/** The days that a range means today; a week begins on Monday. */
export function daysOf(range: Exclude<Range, "custom">, today: string): Days {
  const day = dayjs(today);
  switch (range) {
    case "week":
      return { from: write(day.subtract((day.day() + 6) % 7, "day")), to: today };
    case "month":
      return { from: write(day.startOf("month")), to: today };
    case "last": {
      const month = day.subtract(1, "month");
      return { from: write(month.startOf("month")), to: write(month.endOf("month")) };
    }
    case "30d":
      return { from: write(day.subtract(29, "day")), to: today };
  }
}

/** The server answers for no longer span. */
const mostPeriods = 3700;

/** Every day or month of a span, oldest first, with the API's names; also those without usage. */
export function periodsOf({ from, to }: Days, unit: "day" | "month"): string[] {
  const form = unit === "day" ? "YYYY-MM-DD" : "YYYY-MM";
  const periods: string[] = [];
  let at = dayjs(from).startOf(unit);
  while (!at.isAfter(dayjs(to)) && periods.length < mostPeriods) {
    periods.push(at.format(form));
    at = at.add(1, unit);
  }
  return periods;
}
