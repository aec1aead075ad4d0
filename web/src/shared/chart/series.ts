// Lines over time, and their description for screen readers.

/** Milliseconds since 1970 and a value; null where nothing was measured. */
type Point = readonly [time: number, value: number | null];

export interface Series {
  name: string;
  points: readonly Point[];
}

/** A line breaks where more samples than this are missing, such as while nothing ran. */
const missed = 3;

/** Converts samples, oldest first and `span` seconds apart, to a line of one of their values. */
export function lineOf<Sample extends { time: string }>(
  name: string,
  samples: readonly Sample[],
  span: number,
  value: (sample: Sample) => number | null | undefined,
): Series {
  const points: Point[] = [];
  for (const sample of samples) {
    const time = Date.parse(sample.time);
    const before = points.at(-1)?.[0];
    if (before !== undefined && time - before > missed * span * 1000) points.push([before + 1, null]);
    points.push([time, value(sample) ?? null]);
  }
  return { name, points };
}

const values = ({ points }: Series): number[] =>
  points.flatMap(([, value]) => (value === null ? [] : [value]));

export const hasValues = (series: readonly Series[]) => series.some((one) => values(one).length > 0);

export const highestOf = (series: readonly Series[]): number =>
  series.flatMap(values).reduce((a, b) => Math.max(a, b), 0);

export const latestOf = (series: Series): number | undefined => values(series).at(-1);

/** The value that was measured nearest to `time`, within `reach` milliseconds; undefined in a gap. */
export function valueAt({ points }: Series, time: number, reach: number): number | undefined {
  let near: Point | undefined;
  for (const point of points) {
    if (near && Math.abs(point[0] - time) > Math.abs(near[0] - time)) break;
    near = point;
  }
  if (!near || Math.abs(near[0] - time) > reach) return undefined;
  return near[1] ?? undefined;
}

/** Milliseconds between two samples, as they mostly are. */
export function spacingOf(series: readonly Series[]): number {
  const points = series.flatMap((one) => one.points.slice(0, 50));
  const steps = points
    .slice(1)
    .map(([time], index) => time - (points[index]?.[0] ?? time))
    .filter((step) => step > 1)
    .toSorted((a, b) => a - b);
  return steps[Math.floor(steps.length / 2)] ?? 60_000;
}

/**
 * One value for each of `columns` equal parts of the time: the mean of what was measured in it, or the last value as
 * long as the next is still due; null in a gap.
 */
export function columnsOf(
  { points }: Series,
  [from, to]: readonly [number, number],
  columns: number,
  spacing: number,
): (number | null)[] {
  const sums = new Array<number>(columns).fill(0);
  const counts = new Array<number>(columns).fill(0);
  const width = (to - from) / columns;
  const known = points.filter(([, value]) => value !== null);
  for (const [time, value] of known) {
    const column = Math.floor((time - from) / width);
    if (column < 0 || column >= columns || value === null) continue;
    sums[column] = (sums[column] ?? 0) + value;
    counts[column] = (counts[column] ?? 0) + 1;
  }
  let last = -1;
  return sums.map((sum, column) => {
    const count = counts[column] ?? 0;
    const start = from + column * width;
    while ((known[last + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= start) last += 1;
    if (count > 0) return sum / count;
    const before = known[last];
    return before && start - before[0] < 1.5 * spacing ? before[1] : null;
  });
}

/** GPU 利用率。卡 0：现在 87%，最低 3%，最高 92%。 */
export function summaryOf(
  title: string,
  series: readonly Series[],
  format: (value: number) => string,
): string {
  const lines = series.flatMap((one) => {
    const known = values(one);
    const now = known.at(-1);
    if (now === undefined) return [];
    const low = known.reduce((a, b) => Math.min(a, b));
    const high = known.reduce((a, b) => Math.max(a, b));
    return [`${one.name}：现在 ${format(now)}，最低 ${format(low)}，最高 ${format(high)}`];
  });
  return lines.length > 0 ? `${title}。${lines.join("；")}。` : `${title}。还没有数据。`;
}
