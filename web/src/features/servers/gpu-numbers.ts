// The numbers of equal cards as people write them: 0-3, or 0-3,6.

/** The maximum of one call. */
const MOST = 64;
const HIGHEST = 1023;

/** In order, each once; null if the text is not such a list. */
export function gpuNumbers(text: string): number[] | null {
  const numbers = new Set<number>();
  for (const part of text.split(/[\s,，、]+/).filter((word) => word !== "")) {
    const [, from, to] = /^(\d{1,4})(?:[-–~—至](\d{1,4}))?$/.exec(part) ?? [];
    if (from === undefined) return null;
    const [first, last] = [Number(from), Number(to ?? from)];
    if (first > last || last > HIGHEST || last - first >= MOST) return null;
    for (let number = first; number <= last; number += 1) numbers.add(number);
  }
  return numbers.size > 0 && numbers.size <= MOST ? [...numbers].sort((a, b) => a - b) : null;
}
