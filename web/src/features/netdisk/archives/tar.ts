// The entries of a TAR, by its headers: where the content can be passed over it is not read, and where it comes in one
// stream it is thrown away.
import { type ByteSource, broken, isForeign, ViewFault } from "../viewing/bytes";
import type { Entry } from "./entry";

const block = 512;
/** Further ones are not listed. */
export const mostEntries = 20_000;
/** Blocks that only describe: each entry has a few. */
const mostDescribing = 4 * mostEntries;
/** Names and facts of one entry that stand in a block of their own. */
const longestFacts = 1024 * 1024;
/** No system has longer paths. */
const longestName = 4_096;

/** Bytes in order, of which some can be passed over. Fewer than asked for come only at the end. */
export interface ByteStream {
  take: (length: number) => Promise<Uint8Array>;
  /** False where the end lies before that. */
  skip: (length: number) => Promise<boolean>;
}

const latin = new TextDecoder("latin1");
const gbk = new TextDecoder("gb18030");

/** Names are in the encoding of the machine that packed them. */
function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const text = end < 0 ? bytes : bytes.subarray(0, end);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(text);
  } catch {
    return gbk.decode(text);
  }
}

/** Octal digits, or, for what is larger, binary with the highest bit set. */
function numberOf(bytes: Uint8Array): number {
  const [first = 0, ...rest] = bytes;
  if (first & 0x80) {
    const value = rest.reduce((sum, byte) => sum * 256 + byte, first & 0x3f);
    return Number.isSafeInteger(value) ? value : Number.NaN;
  }
  const text = latin.decode(bytes).replaceAll("\0", " ").trim();
  return text === "" ? 0 : /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
}

/** Of all bytes, with the sum itself taken for blanks. */
function sumOf(header: Uint8Array): number {
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte;
  return sum;
}

/** Lines of `length key=value`. */
function paxFacts(text: string): Map<string, string> {
  const facts = new Map<string, string>();
  for (const line of text.split("\n")) {
    const found = /^\d+ ([^=]+)=(.*)$/.exec(line);
    if (found) facts.set(found[1] ?? "", found[2] ?? "");
  }
  return facts;
}

export interface TarList {
  entries: Entry[];
  /** It goes on after these. */
  more: boolean;
  /** It ends within an entry. */
  cut: boolean;
}

const padded = (size: number) => Math.ceil(size / block) * block;

export async function readTar(stream: ByteStream): Promise<TarList> {
  const list: TarList = { entries: [], more: false, cut: false };
  /** What the blocks before an entry say about it. */
  let given: Omit<Given, "size"> = nothingGiven;
  let described = 0;
  for (;;) {
    const header = await stream.take(block);
    const size = sizeOf(header, list);
    if (size === null) return list;
    const type = String.fromCharCode(header[156] ?? 0);
    if (describing.has(type)) {
      described += 1;
      if (described > mostDescribing) return { ...list, more: true };
      given = { ...given, ...(await readFacts(stream, type, size)) };
      continue;
    }
    if (list.entries.length >= mostEntries) return { ...list, more: true };
    const { stored, ...entry } = entryOf(header, type, { ...given, size });
    list.entries.push(entry);
    given = nothingGiven;
    if (!(await stream.skip(padded(stored)))) return { ...list, cut: true };
  }
}

/** Long names and other facts of the entry that follows, of all that follow, and long targets of links. */
const describing = new Set(["L", "x", "g", "K"]);

async function readFacts(stream: ByteStream, type: string, size: number): Promise<Partial<Given>> {
  if (size > longestFacts) throw broken("条目的名称太长");
  const content = (await stream.take(padded(size))).subarray(0, size);
  if (type === "L") return { name: textOf(content) };
  return type === "x" ? { facts: paxFacts(new TextDecoder().decode(content)) } : {};
}

/** The size that a header gives; nothing where the archive ends. Marks the list where it ends too early. */
function sizeOf(header: Uint8Array, list: TarList): number | null {
  if (header.length < block) {
    list.cut = header.length > 0;
    return null;
  }
  if (header.every((byte) => byte === 0)) return null;
  if (numberOf(header.subarray(148, 156)) !== sumOf(header)) {
    if (list.entries.length === 0) throw broken("没有 TAR 的文件头");
    list.cut = true;
    return null;
  }
  const size = numberOf(header.subarray(124, 136));
  if (!Number.isSafeInteger(size) || size < 0) throw broken("条目的大小");
  return size;
}

interface Given {
  name: string;
  facts: ReadonlyMap<string, string>;
  size: number;
}

const nothingGiven: Omit<Given, "size"> = { name: "", facts: new Map() };

function entryOf(header: Uint8Array, type: string, { name, facts, size: plain }: Given) {
  const ustar = latin.decode(header.subarray(257, 262)) === "ustar";
  const prefix = ustar ? textOf(header.subarray(345, 500)) : "";
  const short = textOf(header.subarray(0, 100));
  const size = Number(facts.get("size") ?? plain);
  if (!Number.isSafeInteger(size) || size < 0) throw broken("条目的大小");
  const given = facts.get("path") || name || (prefix === "" ? short : `${prefix}/${short}`);
  const full = given.slice(0, longestName);
  const time = Number(facts.get("mtime") ?? numberOf(header.subarray(136, 148)));
  const milliseconds = time * 1000;
  const link = type === "1" || type === "2";
  return {
    name: full,
    isDir: type === "5" || full.endsWith("/"),
    size: link ? 0 : size,
    packed: null,
    // Links have no content, whatever their size says.
    stored: link ? 0 : size,
    modified: milliseconds > 0 && milliseconds < 8.64e15 ? new Date(milliseconds).toISOString() : null,
    encrypted: false,
  };
}

const pieceSize = 64 * 1024;
/** After a long entry the next header stands alone. */
const aloneSize = 4 * 1024;
/** Requests for one list: those for an archive of large files would go on for minutes. */
const mostReads = 2_000;

/** A stream of bytes, and why it ended before its end. */
interface LimitedStream {
  stream: ByteStream;
  isOver: () => boolean;
}

/** The bytes of a file that lies on the disk as it is: what is passed over is never fetched. */
export function streamOf(source: ByteSource, most = mostReads): LimitedStream {
  let at = 0;
  let reads = 0;
  let over = false;
  let piece: { begin: number; bytes: Uint8Array } = { begin: 0, bytes: new Uint8Array() };
  const stream: ByteStream = {
    async take(length) {
      const end = Math.min(source.size, at + length);
      const known = piece.begin + piece.bytes.length;
      if (at < piece.begin || end > known) {
        over = reads >= most;
        if (over) return new Uint8Array();
        reads += 1;
        const ahead = at > known ? aloneSize : pieceSize;
        const bytes = await source.read(at, Math.min(source.size, at + Math.max(length, ahead)));
        piece = { begin: at, bytes };
      }
      const part = piece.bytes.subarray(at - piece.begin, end - piece.begin);
      at = end;
      return part;
    },
    async skip(length) {
      at += length;
      return at <= source.size;
    },
  };
  return { stream, isOver: () => over };
}

/** The unpacked bytes of a stream; after `most` bytes, or where it is broken, nothing more is taken. */
export function unpackedStream(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  most: number,
): LimitedStream & { isBroken: () => boolean } {
  let piece = new Uint8Array();
  let read = 0;
  let over = false;
  let isBroken = false;
  async function next(): Promise<boolean> {
    if (read >= most) {
      over = true;
      return false;
    }
    try {
      const { done, value } = await reader.read();
      if (done) return false;
      piece = new Uint8Array(value);
      read += piece.length;
      return true;
    } catch (cause) {
      // What was unpacked before can be listed.
      if (read === 0 || !isForeign(cause)) throw cause;
      isBroken = true;
      return false;
    }
  }
  const stream: ByteStream = {
    async take(length) {
      if (length > longestFacts + block) throw new ViewFault("压缩包已损坏：条目的名称太长");
      const parts: Uint8Array[] = [];
      let missing = length;
      while (missing > 0) {
        if (piece.length === 0 && !(await next())) break;
        const part = piece.subarray(0, missing);
        parts.push(part);
        piece = piece.subarray(part.length);
        missing -= part.length;
      }
      const [only] = parts;
      if (only && parts.length === 1) return only;
      const whole = new Uint8Array(length - missing);
      let at = 0;
      for (const part of parts) {
        whole.set(part, at);
        at += part.length;
      }
      return whole;
    },
    async skip(length) {
      let missing = length;
      while (missing > 0) {
        if (piece.length === 0 && !(await next())) return false;
        const step = Math.min(missing, piece.length);
        piece = piece.subarray(step);
        missing -= step;
      }
      return true;
    },
  };
  return { stream, isOver: () => over, isBroken: () => isBroken };
}
