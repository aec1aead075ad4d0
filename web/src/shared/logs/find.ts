// Finds a text in lines, and splits a line's pieces at the matches. Pure.
import type { Piece } from "./ansi";
import type { LogLine } from "./log-lines";

/** The indexes of the lines that contain it, ignoring case. */
export function linesWith(lines: readonly LogLine[], wanted: string): number[] {
  if (wanted === "") return [];
  const small = wanted.toLowerCase();
  return lines.flatMap(({ text }, index) => (text.toLowerCase().includes(small) ? [index] : []));
}

export interface MarkedPiece extends Piece {
  found: boolean;
  /** Where it begins in the line. */
  at: number;
}

export function markedPieces({ text, pieces }: LogLine, wanted: string): MarkedPiece[] {
  const small = text.toLowerCase();
  const found: [number, number][] = [];
  // Letters whose lower case is longer would shift the following ones.
  const exact = small.length === text.length ? wanted.toLowerCase() : "";
  if (exact !== "")
    for (let at = small.indexOf(exact); at >= 0; at = small.indexOf(exact, at + exact.length))
      found.push([at, at + exact.length]);
  let start = 0;
  return pieces.flatMap((piece) => {
    const [from, to] = [start, start + piece.text.length];
    start = to;
    const cuts = found.flat().filter((at) => at > from && at < to);
    return [from, ...cuts].map((cut, index): MarkedPiece => {
      const end = cuts[index] ?? to;
      return {
        ...piece,
        text: text.slice(cut, end),
        at: cut,
        found: found.some(([a, b]) => cut >= a && end <= b),
      };
    });
  });
}
