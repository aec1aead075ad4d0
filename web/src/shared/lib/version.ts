// Compares version numbers part by part, as numbers: 4.10.0 is newer than 4.9.9.

function parts(version: string): number[] {
  return version
    .trim()
    .replace(/^v/i, "")
    .split(/[.+-]/)
    .map((part) => Number.parseInt(part, 10) || 0);
}

/** Negative when `a` is older than `b`, 0 when they are equal, positive when it is newer. */
export function compareVersions(a: string, b: string): number {
  const left = parts(a);
  const right = parts(b);
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function isNewer(latest: string | undefined, current: string | undefined): boolean {
  return Boolean(latest && current) && compareVersions(latest ?? "", current ?? "") > 0;
}
