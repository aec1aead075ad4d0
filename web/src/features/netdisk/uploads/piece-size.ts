// How much of a file goes in one request. A reverse proxy in front may take less than the server would: what it refused
// once in this page is not sent again.

const mebibyte = 1024 * 1024;

/** Proxies hold whole requests back; in pieces of this size they have something to pass on. */
const largest = 64 * mebibyte;
/** nginx takes one mebibyte unless it is told otherwise. */
const steps = [largest, 8 * mebibyte, mebibyte, mebibyte / 4];

let current = largest;

export const pieceSize = () => current;

/** Goes on with smaller pieces than the refused one; false where there are none. */
export function shrinkBelow(refused: number): boolean {
  const smaller = steps.find((step) => step < refused);
  if (smaller === undefined) return false;
  current = Math.min(current, smaller);
  return true;
}
