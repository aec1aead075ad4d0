/** Repeated refusals within a minute are one entry with a number. */
export const withTimes = (label: string, count: number) =>
  count > 1 ? `${label} × ${count.toLocaleString("zh-CN")}` : label;
