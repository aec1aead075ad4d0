// Colours between two.

function partsOf(color: string): [number, number, number] {
  const value = Number.parseInt(color.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** The colour at `share` of the way between two of the form #rrggbb; the share is held between 0 and 1. */
export function mixed(from: string, to: string, share: number): string {
  const held = Math.min(1, Math.max(0, share));
  const [a, b] = [partsOf(from), partsOf(to)];
  const parts = a.map((part, index) => Math.round(part + ((b[index] ?? 0) - part) * held));
  return `rgb(${parts.join(" ")})`;
}
