// Sizes and counts as people read them.

const sizeUnits = ["B", "KB", "MB", "GB"] as const;

/** 312.40 GB: two decimals, steps of 1024, nothing above GB. */
export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < sizeUnits.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(2)} ${sizeUnits[unit]}`;
}

const countUnits = [
  ["E", 1e18],
  ["P", 1e15],
  ["T", 1e12],
  ["G", 1e9],
  ["M", 1e6],
  ["k", 1e3],
] as const;

/** 12345 becomes 12.3k; trailing zero decimals are omitted. */
export function shortNumber(value: number, decimals = 1): string {
  for (const [unit, size] of countUnits) {
    if (Math.abs(value) >= size) return `${Number((value / size).toFixed(decimals))}${unit}`;
  }
  return String(Number(value.toFixed(decimals)));
}

const counts = new Intl.NumberFormat("zh-CN", { maximumFractionDigits: 2 });

/** 12,345 — for counts in tables and headers. */
export function formatCount(value: number): string {
  return counts.format(value);
}

/** CPU quotas are microseconds in a period of 100 000, as the engine takes them; people think in cores. */
export function coresOf(quota: number): number {
  return quota / 100_000;
}
