// A CSV of any size: rows are found from the beginning on, as far as the table is scrolled, and every hundredth position
// is kept; the rows themselves are read again when they come in sight.
import type { ByteSource } from "../viewing/bytes";
import { type CsvFormat, firstRows, formatOf, hasHead, rowFormat, rowsIn } from "./csv-format";
import { RowScanner } from "./row-scanner";

/** Rows of a group, which are read together. */
export const groupSize = 100;

const sampleSize = 256 * 1024;
/** Pieces grow while all of a large file is looked through; each is scanned within a frame or two. */
const smallPiece = 1024 * 1024;
const largePiece = 4 * 1024 * 1024;

/** Of one group: a hundred of the longest rows would be far more than a screen shows. */
const mostRead = 16 * 1024 * 1024;

/** Groups whose rows are kept. */
const mostGroups = 60;

export class CsvFile {
  /** Where each group begins. */
  private readonly starts: number[];
  private readonly scanner: RowScanner;
  private readonly groups = new Map<number, Promise<string[][]>>();
  private scanning: Promise<void> = Promise.resolve();
  private inGroup = 0;
  /** Bytes that were looked through. */
  scanned: number;
  /** Rows that were found, with the head. */
  rows = 0;

  private constructor(
    private readonly source: ByteSource,
    readonly format: CsvFormat,
    /** The first rows, for the widths of columns. */
    readonly first: string[][],
    readonly head: boolean,
  ) {
    this.starts = [format.mark];
    this.scanned = format.mark;
    this.scanner = new RowScanner(rowFormat(format), format.mark);
  }

  static async open(source: ByteSource, chosen: Partial<CsvFormat> = {}): Promise<CsvFile> {
    const size = Math.min(source.size, sampleSize);
    const sample = size > 0 ? await source.read(0, size) : new Uint8Array();
    const whole = size === source.size;
    const format = formatOf(sample, whole, chosen);
    const first = firstRows(sample, format, groupSize + 1);
    const file = new CsvFile(source, format, first, hasHead(first));
    await file.scan(groupSize);
    return file;
  }

  get complete() {
    return this.scanned >= this.source.size;
  }

  /** Some quotes are never closed, or a row is too long. */
  get irregular() {
    return this.scanner.irregular;
  }

  /** Looks on until there are this many rows, or the end. */
  scan(rows: number, onProgress: () => boolean = () => true): Promise<void> {
    // One after the other: each goes on where the one before stopped.
    this.scanning = this.scanning.then(
      () => this.scanOn(rows, onProgress),
      () => this.scanOn(rows, onProgress),
    );
    return this.scanning;
  }

  private async scanOn(rows: number, onProgress: () => boolean) {
    if (this.rows >= rows || this.complete) return;
    let size = smallPiece;
    let next = this.piece(this.scanned, size);
    while (this.rows < rows && !this.complete) {
      const { end, bytes } = next;
      const piece = await bytes;
      size = Math.min(largePiece, 2 * size);
      // Fetched while this one is looked through, where it is sure to be needed.
      const far = rows === Number.POSITIVE_INFINITY && end < this.source.size;
      if (far) next = this.piece(end, size);
      this.scanner.feed(piece, (at) => this.note(at));
      this.scanned = end;
      if (this.complete) this.scanner.end((at) => this.note(at));
      if (!onProgress()) return;
      if (!far && !this.complete && this.rows < rows) next = this.piece(end, size);
    }
  }

  private piece(begin: number, size: number) {
    const end = Math.min(this.source.size, begin + size);
    const bytes = begin < end ? this.source.read(begin, end) : Promise.resolve(new Uint8Array());
    // A piece fetched ahead may fail before it is awaited.
    bytes.catch(() => {});
    return { end, bytes };
  }

  private note(end: number) {
    this.rows += 1;
    this.inGroup += 1;
    if (this.inGroup < groupSize) return;
    this.inGroup = 0;
    this.starts.push(end);
  }

  /** The rows of one group; of very long ones only the first. */
  group(index: number): Promise<string[][]> {
    // The last one grows while the rest is looked through.
    if (index >= this.starts.length - 1 && !this.complete) return this.readGroup(index, this.inGroup);
    const known = this.groups.get(index) ?? this.readGroup(index, groupSize);
    this.groups.delete(index);
    this.groups.set(index, known);
    known.catch(() => this.groups.delete(index));
    const [oldest] = this.groups.keys();
    if (this.groups.size > mostGroups && oldest !== undefined) this.groups.delete(oldest);
    return known;
  }

  private async readGroup(index: number, most: number): Promise<string[][]> {
    const begin = this.starts[index];
    if (begin === undefined) return [];
    const next = this.starts[index + 1];
    // The last group is still being found: what was looked through holds it.
    const end = Math.min(next ?? this.scanned, begin + mostRead);
    if (end <= begin) return [];
    return rowsIn(await this.source.read(begin, end), this.format, most);
  }
}
