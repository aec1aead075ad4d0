// Which texts fit what was typed, and how well. Pure.
import { initialsOf } from "./initials";

/** In lower case. */
export const wordsOf = (typed: string): string[] => typed.toLowerCase().split(/\s+/).filter(Boolean);

export interface Texts {
  title: string;
  /** Other words by which it is looked for. */
  more?: string;
}

/** How well one word fits, the best being 0. */
function fitOfWord(word: string, { title, more = "" }: Texts): number | null {
  const name = title.toLowerCase();
  if (name === word) return 0;
  if (name.startsWith(word)) return 1;
  if (name.includes(word)) return 2;
  if (word.length > 1 && initialsOf(title).startsWith(word)) return 3;
  if (more.toLowerCase().includes(word)) return 4;
  return word.length > 1 && initialsOf(title).includes(word) ? 5 : null;
}

/** All words have to fit; otherwise `null`. */
export function fitOf(words: readonly string[], texts: Texts): number | null {
  let sum = 0;
  for (const word of words) {
    const fit = fitOfWord(word, texts);
    if (fit === null) return null;
    sum += fit;
  }
  return sum;
}

/** The best fits, the best first; equal ones in the order in which they are. */
export function bestOf<T>(
  items: readonly T[],
  words: readonly string[],
  most: number,
  textsOf: (item: T) => Texts,
): T[] {
  const fits = items.flatMap((item) => {
    const fit = fitOf(words, textsOf(item));
    return fit === null ? [] : [{ item, fit }];
  });
  return fits
    .toSorted((one, other) => one.fit - other.fit)
    .slice(0, most)
    .map(({ item }) => item);
}
