/** What is refused again and again within a minute is one entry with a number. */
export const withTimes = (label: string, count: number) =>
  count > 1 ? `${label} × ${count.toLocaleString("zh-CN")}` : label;
