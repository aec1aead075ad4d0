// Scales of charts: their ends and labels; pure.
import dayjs from "dayjs";
import type { TimeRange } from "./pointing";

interface Top {
  /** What the values can't exceed; undefined where that is unknown. */
  max: number | undefined;
  /** What was measured at most. */
  highest: number;
  /** Steps of the unit: 1024 for bytes. */
  base: number;
  /** Counts, which have no halves. */
  whole: boolean;
}

const nice = [1, 2, 4, 5, 6, 8, 10];

function niceCeil(value: number, base: number): number {
  // Within the unit that people read: 3.5 GB, not 3 758 096 384.
  const unit = base === 1000 ? 1 : base ** Math.max(0, Math.floor(Math.log(value) / Math.log(base)));
  const share = value / unit;
  const power = 10 ** Math.floor(Math.log10(share));
  const step = nice.find((one) => one * power >= share - 1e-9) ?? 10;
  return step * power * unit;
}

/** The end of the value scale. */
export function topOf({ max, highest, base, whole }: Top): number {
  const wanted = Math.max(max ?? 0, highest);
  if (wanted <= 0) return whole ? 2 : 1;
  if (whole) return Math.max(2, Math.ceil(wanted / 2) * 2);
  if (max === undefined) return niceCeil(wanted, base);
  if (base === 1000) return wanted;
  const unit = base ** Math.max(0, Math.floor(Math.log(wanted) / Math.log(base)));
  return Math.ceil(wanted / unit - 1e-6) * unit;
}

/** Bottom, middle and top. */
export const marksOf = (top: number): number[] => [0, top / 2, top];

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** 15:32:10 within an hour, 15:32 within two days, 11-24 15:32 beyond. */
export function momentText(time: number, [from, to]: TimeRange): string {
  const at = dayjs(time);
  if (to - from <= 60 * MINUTE) return at.format("HH:mm:ss");
  return to - from <= 2 * DAY ? at.format("HH:mm") : at.format("MM-DD HH:mm");
}

/** For the axis, where there is less room. */
export function axisText(time: number, [from, to]: TimeRange): string {
  return dayjs(time).format(to - from <= 2 * DAY ? "HH:mm" : "MM-DD");
}
