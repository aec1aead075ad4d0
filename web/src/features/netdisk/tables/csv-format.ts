// What a CSV file is made of, guessed from its beginning: the encoding, what is between the cells, and whether the first
// row names the columns. Pure.
import { decode, type Encoding, encodingOf } from "../editor/encodings";
import { cellsOf, type RowFormat, RowScanner } from "./row-scanner";

export const delimiters = [
  { character: ",", label: "逗号" },
  { character: "\t", label: "制表符" },
  { character: ";", label: "分号" },
  { character: "|", label: "竖线" },
] as const;

export type Delimiter = (typeof delimiters)[number]["character"];

export interface CsvFormat {
  encoding: Encoding;
  delimiter: Delimiter;
  newline: "\n" | "\r";
  /** Bytes before the first row. */
  mark: number;
}

const marks: Partial<Record<Encoding, number>> = { "utf-8-bom": 3, "utf-16le": 2, "utf-16be": 2 };

const isWide = (encoding: Encoding) => encoding === "utf-16le" || encoding === "utf-16be";

export const rowFormat = ({ encoding, delimiter, newline }: CsvFormat): RowFormat => ({
  delimiter: delimiter.charCodeAt(0),
  newline: newline.charCodeAt(0),
  unit: isWide(encoding) ? 2 : 1,
  littleEndian: encoding === "utf-16le",
});

/** A character that the end of the sample cuts in two says nothing about the encoding. */
function wholeLines(sample: Uint8Array): Uint8Array {
  const end = sample.lastIndexOf(0x0a);
  return end < 0 ? sample.subarray(0, Math.max(0, sample.length - 4)) : sample.subarray(0, end + 1);
}

/** `whole`: the sample is all of the file. */
export function formatOf(sample: Uint8Array, whole: boolean, chosen: Partial<CsvFormat> = {}): CsvFormat {
  const encoding = chosen.encoding ?? encodingOf(whole ? sample : wholeLines(sample));
  const text = decode(sample, encoding);
  const newline = text.includes("\n") || !text.includes("\r") ? "\n" : "\r";
  const mark = encoding in marks && encodingOf(sample) === encoding ? (marks[encoding] ?? 0) : 0;
  const delimiter = chosen.delimiter ?? delimiterOf(sample, { encoding, newline, mark });
  return { encoding, newline, mark, delimiter };
}

const rowsCompared = 50;

/** The one that cuts most rows into the same number of cells, of which there are several. */
function delimiterOf(sample: Uint8Array, format: Omit<CsvFormat, "delimiter">): Delimiter {
  let best: { delimiter: Delimiter; score: number } = { delimiter: ",", score: 0 };
  for (const { character } of delimiters) {
    const counts = firstRows(sample, { ...format, delimiter: character }, rowsCompared).map(
      (row) => row.length,
    );
    const usual = mostFrequent(counts);
    const score = usual < 2 ? 0 : counts.filter((count) => count === usual).length + usual / 1000;
    if (score > best.score) best = { delimiter: character, score };
  }
  return best.delimiter;
}

function mostFrequent(counts: readonly number[]): number {
  const times = new Map<number, number>();
  for (const count of counts) times.set(count, (times.get(count) ?? 0) + 1);
  return Array.from(times).toSorted(([a, m], [b, n]) => n - m || b - a)[0]?.[0] ?? 0;
}

/** The first rows of a sample, whose last row may be cut. */
export function firstRows(sample: Uint8Array, format: CsvFormat, most: number): string[][] {
  return rowsIn(sample.subarray(format.mark), format, most);
}

/** The rows of a part that begins and ends with a row. */
export function rowsIn(part: Uint8Array, format: CsvFormat, most: number): string[][] {
  const ends: number[] = [];
  const scanner = new RowScanner(rowFormat(format));
  scanner.feed(part, (end) => ends.push(end));
  scanner.end((end) => ends.push(end));
  return ends
    .slice(0, most)
    .map((end, index) =>
      cellsOf(decode(part.subarray(ends[index - 1] ?? 0, end), format.encoding), format.delimiter),
    );
}

const isNumber = (cell: string) => cell.trim() !== "" && Number.isFinite(Number(cell));

/** Names are words, each another one, above columns that have something. */
export function hasHead([first, ...rest]: readonly string[][]): boolean {
  if (!first || rest.length === 0) return false;
  const named = first.filter((cell) => cell.trim() !== "");
  return named.length > 0 && new Set(named).size === named.length && !first.some(isNumber);
}
