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
