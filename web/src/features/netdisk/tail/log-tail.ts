// A window onto a log of any size: it begins at the end, grows to both sides as it is scrolled or as the program goes on
// writing, and forgets what is far away. Knows neither React nor the network.
import { parseLine } from "@/shared/logs/ansi";
import type { LogLine } from "@/shared/logs/log-lines";
import { decode, type Encoding, encodingOf } from "../editor/encodings";
import { ViewFault } from "../viewing/bytes";

const pieceSize = 256 * 1024;

/** Bytes of the window, and its lines: of short ones there are many in few bytes. */
const mostKept = 16 * 1024 * 1024;
const mostLines = 400_000;

/** A line without an end is no line. */
const longestLine = 64 * 1024;

type Read = (begin: number, end: number) => Promise<Uint8Array>;

interface Piece {
  from: number;
  to: number;
  lines: LogLine[];
}

const isWide = (encoding: Encoding) => encoding === "utf-16le" || encoding === "utf-16be";

export class LogTail {
  private pieces: Piece[] = [];
  private encoding: Encoding = "utf-8";
  /** Unique numbers for lines: upwards below, downwards above. */
  private next = 0;
  private before = -1;
  private work: Promise<void> = Promise.resolve();
  /** The bytes of the last line, if it has no end yet. */
  private unfinished = new Uint8Array();
  /** A new object with every change. */
  lines: readonly LogLine[] = [];

  constructor(
    private readonly read: Read,
    /** Bytes of the file, as far as it is known. */
    public size: number,
  ) {}

  get from() {
    return this.pieces[0]?.from ?? this.size;
  }

  get to() {
    return this.pieces.at(-1)?.to ?? this.size;
  }

  get atStart() {
    return this.from === 0;
  }

  get atEnd() {
    return this.to >= this.size;
  }

  /** Begins anew at the end. */
  open(): Promise<void> {
    return this.afterwards(async () => {
      const head = this.size > 0 ? await this.read(0, Math.min(4, this.size)) : new Uint8Array();
      const begin = this.even(Math.max(0, this.size - pieceSize));
      const bytes = this.size > 0 ? await this.read(begin, this.size) : new Uint8Array();
      this.encoding = this.encodingOf(head, begin, bytes);
      this.pieces = [this.below(bytes, begin, begin === 0 ? 0 : this.firstLine(bytes))];
      this.changed();
    });
  }

  /** Begins anew at the beginning. */
  start(): Promise<void> {
    return this.afterwards(async () => {
      const end = Math.min(this.size, pieceSize);
      const bytes = end > 0 ? await this.read(0, end) : new Uint8Array();
      this.encoding = this.encodingOf(bytes, 0, bytes);
      this.pieces = [this.below(bytes, 0, 0)];
      this.changed();
    });
  }

  /** Adds lines above. */
  earlier(): Promise<void> {
    return this.afterwards(async () => {
      const to = this.from;
      if (to === 0) return;
      const begin = this.even(Math.max(0, to - pieceSize));
      const bytes = await this.read(begin, to);
      const skip = begin === 0 ? 0 : this.firstLine(bytes);
      // A single line fills all of it.
      const piece = this.above(bytes, begin, skip >= bytes.length ? 0 : skip);
      this.pieces.unshift(piece);
      while (this.isTooLarge()) {
        this.pieces.pop();
        this.unfinished = new Uint8Array();
      }
      this.changed();
    });
  }

  /** Adds lines below, if there are any. A file that has become smaller begins anew. */
  async later(size = this.size): Promise<void> {
    if (size < this.size) {
      this.size = size;
      await this.open();
      return;
    }
    this.size = size;
    await this.afterwards(async () => {
      const begin = this.to;
      if (begin >= this.size) return;
      const bytes = await this.read(begin, Math.min(this.size, begin + pieceSize));
      this.append(bytes, begin);
      while (this.isTooLarge()) this.pieces.shift();
      this.changed();
    });
  }

  private isTooLarge(): boolean {
    const lines = this.pieces.reduce((sum, piece) => sum + piece.lines.length, 0);
    return this.pieces.length > 1 && (this.to - this.from > mostKept || lines > mostLines);
  }

  /** One after the other, also when several are asked for at once. */
  private afterwards(step: () => Promise<void>): Promise<void> {
    const run = this.work.then(step, step);
    this.work = run.catch(() => {});
    return run;
  }

  private even(at: number) {
    return at - (at % 2);
  }

  private unit() {
    return isWide(this.encoding) ? 2 : 1;
  }

  /** The position after the line break at or after `at`; the length when there is none. */
  private lineEnd(bytes: Uint8Array, at: number): number {
    const unit = this.unit();
    const low = this.encoding === "utf-16be" ? 1 : 0;
    for (let end = bytes.indexOf(0x0a, at); end >= 0; end = bytes.indexOf(0x0a, end + 1)) {
      if (unit === 1) return end + 1;
      if (end % 2 === low && bytes[end + 1 - 2 * low] === 0) return end + 2 - low;
    }
    return bytes.length;
  }

  private firstLine(bytes: Uint8Array) {
    return this.lineEnd(bytes, 0);
  }

  private encodingOf(head: Uint8Array, begin: number, bytes: Uint8Array): Encoding {
    const marked = encodingOf(head);
    if (isWide(marked)) return marked;
    if (bytes.includes(0)) throw new ViewFault("文件不是文本，暂不支持在线查看");
    return encodingOf(this.wholeLines(bytes, begin));
  }

  private wholeLines(bytes: Uint8Array, begin: number): Uint8Array {
    const start = begin === 0 ? 0 : bytes.indexOf(0x0a) + 1;
    const end = bytes.lastIndexOf(0x0a) + 1;
    return end > start ? bytes.subarray(start, end) : bytes;
  }

  private above(bytes: Uint8Array, begin: number, skip: number): Piece {
    const { texts } = this.textsOf(bytes.subarray(skip));
    this.before -= texts.length;
    const lines = texts.map((text, index) => lineOf(text, this.before + 1 + index));
    return { from: begin + skip, to: begin + bytes.length, lines };
  }

  private below(bytes: Uint8Array, begin: number, skip: number): Piece {
    const part = bytes.subarray(skip);
    const { texts, open } = this.textsOf(part);
    this.unfinished = open < part.length ? part.slice(open) : new Uint8Array();
    const lines = texts.map((text) => lineOf(text, this.next++));
    return { from: begin + skip, to: begin + bytes.length, lines };
  }

  /** The last line may go on: it is shown as far as it has come, and replaced by what it becomes. */
  private append(bytes: Uint8Array, begin: number) {
    const last = this.pieces.at(-1);
    const { length } = this.unfinished;
    if (!last || length === 0 || length >= longestLine) {
      this.pieces.push(this.below(bytes, begin, 0));
      return;
    }
    const joined = new Uint8Array(length + bytes.length);
    joined.set(this.unfinished);
    joined.set(bytes, length);
    last.lines = last.lines.slice(0, -1);
    last.to = begin - length;
    this.pieces.push(this.below(joined, begin - length, 0));
  }

  /** The lines, and where the one begins that has no end yet. */
  private textsOf(bytes: Uint8Array): { texts: string[]; open: number } {
    const texts: string[] = [];
    let open = bytes.length;
    for (let at = 0; at < bytes.length; ) {
      const end = this.lineEnd(bytes, at);
      const cut = Math.min(end, at + longestLine);
      if (end === bytes.length && !this.endsLine(bytes)) open = at;
      texts.push(decode(bytes.subarray(at, cut), this.encoding));
      at = cut;
    }
    return { texts, open };
  }

  private endsLine(bytes: Uint8Array): boolean {
    const at = bytes.length - (this.encoding === "utf-16le" ? 2 : 1);
    return bytes[at] === 0x0a;
  }

  private changed() {
    this.lines = this.pieces.flatMap(({ lines }) => lines);
  }
}

function lineOf(raw: string, number: number): LogLine {
  const { pieces } = parseLine(raw.replace(/\r?\n$/, ""), {});
  return { number, text: pieces.map(({ text }) => text).join(""), pieces };
}
