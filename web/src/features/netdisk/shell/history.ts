// The lines that were entered, walked through with the arrow keys. Pure.

const most = 200;

export interface History {
  lines: readonly string[];
  /** The index of the line in the field; after the last is the typed text. */
  at: number;
  draft: string;
}

export const noHistory: History = { lines: [], at: 0, draft: "" };

/** The same line twice in a row is kept once. */
export function remember({ lines }: History, line: string): History {
  const kept = lines.at(-1) === line ? lines : [...lines, line].slice(-most);
  return { lines: kept, at: kept.length, draft: "" };
}

/** One line back or forth from the one in the field; undefined where there is none. */
export function walk(history: History, typed: string, step: -1 | 1): [History, string] | null {
  const { lines, at } = history;
  const to = at + step;
  if (to < 0 || to > lines.length) return null;
  const draft = at === lines.length ? typed : history.draft;
  return [{ lines, at: to, draft }, lines[to] ?? draft];
}
