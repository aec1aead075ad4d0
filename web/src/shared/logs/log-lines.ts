// The newest lines of a log, within limits, whatever a program writes.
import { type Pen, type Piece, parseLine } from "./ansi";

export interface LogLine {
  /** The line's number from the beginning of the log, unique. */
  number: number;
  text: string;
  pieces: readonly Piece[];
}

/** The view's data; a new object with every change. */
export interface LogLines {
  lines: readonly LogLine[];
  /** Older lines that are not kept any more. */
  omitted: number;
}

export const mostLines = 20_000;
const mostLetters = 8_000_000;
/** A line without an end is no line. */
const longestLine = 64 * 1024;

export class LogBuffer {
  #lines: LogLine[] = [];
  #letters = 0;
  #pen: Pen = {};
  #rest = "";
  #next = 0;

  /** Appends received text, which may begin in the middle of a line. */
  append(text: string) {
    const parts = (this.#rest + text).split("\n");
    this.#rest = parts.pop() ?? "";
    for (const part of parts) this.#take(part);
    if (this.#rest.length > longestLine) this.end();
    this.#trim();
  }

  /** The log has ended: text without a line break is the last line. */
  end() {
    if (this.#rest !== "") this.#take(this.#rest);
    this.#rest = "";
  }

  snapshot(): LogLines {
    return { lines: [...this.#lines], omitted: this.#next - this.#lines.length };
  }

  #take(raw: string) {
    const { pieces, pen } = parseLine(raw.replace(/\r$/, "").slice(0, longestLine), this.#pen);
    const text = pieces.map((piece) => piece.text).join("");
    this.#pen = pen;
    this.#lines.push({ number: this.#next, text, pieces });
    this.#letters += text.length;
    this.#next += 1;
  }

  #trim() {
    let gone = Math.max(0, this.#lines.length - mostLines);
    for (let at = 0; at < gone; at += 1) this.#letters -= this.#lines[at]?.text.length ?? 0;
    while (this.#letters > mostLetters && gone < this.#lines.length - 1) {
      this.#letters -= this.#lines[gone]?.text.length ?? 0;
      gone += 1;
    }
    if (gone > 0) this.#lines.splice(0, gone);
  }
}
