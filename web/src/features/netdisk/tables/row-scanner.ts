// Finds where the rows of a CSV end, byte by byte: within quotes a line break belongs to a cell. In every encoding that
// is met here quotes, delimiters and line breaks are single bytes that are part of no other character, except in UTF-16,
// where they are two. Pure.

export interface RowFormat {
  /** Character code of what is between cells. */
  delimiter: number;
  /** Character code that ends a row: a line feed, or in very old files a carriage return. */
  newline: number;
  /** Bytes of one of these characters, and which of them is not zero. */
  unit: 1 | 2;
  littleEndian: boolean;
}

/** A longer row is cut, and quotes that are open for longer are none. */
export const longestRow = 1024 * 1024;

const quote = 0x22;

export class RowScanner {
  private quoted = false;
  private closed = false;
  private fieldStart = true;
  /** Line breaks within the quotes of the row: its ends, if the quotes turn out to be never closed. */
  private inner: number[] = [];
  private rowStart: number;
  /** Bytes that were seen. */
  private at: number;
  /** Some quotes were never closed, or a row was cut. */
  irregular = false;

  constructor(
    private readonly format: RowFormat,
    start = 0,
  ) {
    this.rowStart = start;
    this.at = start;
  }

  /** Calls `onEnd` with the position after each row. The bytes must be whole units. */
  feed(bytes: Uint8Array, onEnd: (end: number) => void) {
    const { newline, unit, littleEndian } = this.format;
    const low = unit === 1 || littleEndian ? 0 : 1;
    for (let index = 0; index + unit <= bytes.length; index += unit) {
      let code = bytes[index + low] ?? 0;
      if (unit === 2 && bytes[index + 1 - low] !== 0) code = 0x100;
      const end = this.at + index + unit;
      if (!this.quoted && code === newline) this.endRow(end, onEnd);
      else this.step(code, end);
      if (end - this.rowStart >= longestRow) this.giveUp(end, onEnd);
    }
    this.at += bytes.length - (bytes.length % unit);
  }

  /** A character that does not end the row. */
  private step(code: number, end: number) {
    if (this.quoted) {
      if (code === this.format.newline) this.inner.push(end);
      if (code !== quote) return;
      this.quoted = false;
      this.closed = true;
    } else {
      this.quoted = code === quote && (this.fieldStart || this.closed);
      this.fieldStart = code === this.format.delimiter;
      this.closed = false;
    }
  }

  /** The file ends: what is left is the last row. */
  end(onEnd: (end: number) => void) {
    if (this.quoted) this.giveUp(this.at, onEnd);
    else if (this.at > this.rowStart) this.endRow(this.at, onEnd);
  }

  private endRow(end: number, onEnd: (end: number) => void) {
    this.rowStart = end;
    this.quoted = false;
    this.closed = false;
    this.fieldStart = true;
    this.inner = [];
    onEnd(end);
  }

  private giveUp(end: number, onEnd: (end: number) => void) {
    this.irregular = true;
    const ends = this.quoted ? this.inner : [];
    if (ends.at(-1) !== end) ends.push(end);
    for (const each of ends) this.endRow(each, onEnd);
  }
}

/** As many columns as a spreadsheet has. */
export const mostColumns = 16_384;

/**
 * The cells of one row, one more than are shown at most. Quotes that are never closed are taken as they stand.
 */
export function cellsOf(row: string, delimiter: string): string[] {
  const text = row.replace(/\r?\n$|\r$/, "");
  const cells: string[] = [];
  let at = 0;
  while (at <= text.length && cells.length <= mostColumns) {
    const quoted = text[at] === '"' ? quotedCell(text, at, delimiter) : null;
    if (quoted) {
      cells.push(quoted.cell);
      at = quoted.next;
      continue;
    }
    const end = text.indexOf(delimiter, at);
    cells.push(text.slice(at, end < 0 ? text.length : end));
    if (end < 0) break;
    at = end + delimiter.length;
  }
  return cells;
}

/** A cell that begins with a quote; nothing when that is never closed. */
function quotedCell(text: string, start: number, delimiter: string) {
  let cell = "";
  let at = start + 1;
  for (;;) {
    const close = text.indexOf('"', at);
    if (close < 0) return null;
    cell += text.slice(at, close);
    if (text[close + 1] !== '"') {
      const end = text.indexOf(delimiter, close + 1);
      // What follows the quotes belongs to the cell.
      cell += text.slice(close + 1, end < 0 ? text.length : end);
      return { cell, next: end < 0 ? text.length + 1 : end + delimiter.length };
    }
    cell += '"';
    at = close + 2;
  }
}
