// The size of one piece of a file. A reverse proxy in front may accept less than the server: a size that it refused
// once in this page is not used again.

const mebibyte = 1024 * 1024;

/** Proxies hold whole requests back; in pieces of this size they have something to pass on. */
const largest = 64 * mebibyte;
/** nginx accepts one mebibyte by default. */
const steps = [largest, 8 * mebibyte, mebibyte, mebibyte / 4];

let current = largest;

export const pieceSize = () => current;

/** Continues with smaller pieces than the refused one; false if there are none. */
export function shrinkBelow(refused: number): boolean {
  const smaller = steps.find((step) => step < refused);
  if (smaller === undefined) return false;
  current = Math.min(current, smaller);
  return true;
}
