// Sizes and modification times of the picked files. For each of these the browser blocks on the file system: for ten
// thousand files that is most of a second, so it happens in slices.
import type { Picked } from "./picked";

export interface Measured extends Picked {
  /** Bytes; 0 for a folder. */
  size: number;
  /** When a file that was picked by itself was last changed, in milliseconds; 0 for all others. */
  modified: number;
}

/** Short enough for a frame to be drawn in time. */
const sliceMs = 8;

const otherWork = () => new Promise<void>((resolve) => setTimeout(resolve));

export const measured = ({ names, file }: Picked): Measured => ({
  names,
  file,
  size: file?.size ?? 0,
  modified: names.length === 1 ? (file?.lastModified ?? 0) : 0,
});

export async function measureAll(picked: readonly Picked[]): Promise<Measured[]> {
  const all: Measured[] = [];
  let begun = performance.now();
  for (const one of picked) {
    all.push(measured(one));
    if (performance.now() - begun < sliceMs) continue;
    await otherWork();
    begun = performance.now();
  }
  return all;
}
