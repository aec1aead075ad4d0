// The directory of a ZIP file and the beginning of its entries, read by position. Nothing is unpacked that is not looked
// at, and what is has a limit.
import { type Entry, type FileEntry, Reader, ZipReader } from "@zip.js/zip.js/lib/zip-core-custom.js";
import { type ByteSource, isForeign, ViewFault } from "./bytes";

/** Of a larger directory nothing is shown: it alone would fill the memory. */
const largestPart = 64 * 1024 * 1024;

/** Further entries are only counted. */
export const mostEntries = 20_000;

class SourceReader extends Reader<ByteSource> {
  constructor(private readonly source: ByteSource) {
    super(source);
    this.size = source.size;
  }

  override async readUint8Array(index: number, length: number) {
    const end = Math.min(this.source.size, index + length);
    if (index < 0 || end < index) throw new ViewFault("压缩包已损坏：目录超出文件范围");
    if (end - index > largestPart) throw new ViewFault("压缩包的目录太大，请下载后查看");
    return end === index ? new Uint8Array() : this.source.read(index, end);
  }
}

export interface ZipEntry {
  name: string;
  isDir: boolean;
  /** Bytes, unpacked and packed. */
  size: number;
  packed: number;
  modified: string | null;
  encrypted: boolean;
  entry: Entry;
}

export interface ZipFile {
  entries: ZipEntry[];
  /** More than `mostEntries`. */
  more: boolean;
}

const gbk = new TextDecoder("gb18030");

/** Names without a mark are in the encoding of the machine that packed them: here that is mostly GBK. */
function nameOf({ filename, rawFilename, filenameUTF8 }: Entry): string {
  if (filenameUTF8) return filename;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(rawFilename);
  } catch {
    return gbk.decode(rawFilename);
  }
}

/** Without a time tools write the first one that the format can hold. */
const noTime = 1980;

const timeOf = (date: unknown) =>
  date instanceof Date && Number.isFinite(date.getTime()) && date.getFullYear() > noTime
    ? date.toISOString()
    : null;

export async function openZip(source: ByteSource): Promise<ZipFile> {
  const reader = new ZipReader(new SourceReader(source), { useWebWorkers: false });
  const entries: ZipEntry[] = [];
  try {
    for await (const entry of reader.getEntriesGenerator()) {
      if (entries.length >= mostEntries) return { entries, more: true };
      entries.push({
        name: nameOf(entry),
        isDir: entry.directory,
        size: entry.uncompressedSize,
        packed: entry.compressedSize,
        modified: timeOf(entry.lastModDate),
        encrypted: entry.encrypted,
        entry,
      });
    }
  } catch (cause) {
    if (isForeign(cause)) throw new ViewFault("压缩包已损坏、不完整，或不是 ZIP");
    throw cause;
  }
  return { entries, more: false };
}

const isFile = (entry: Entry): entry is FileEntry => !entry.directory;

/** The first `most` bytes of an entry. */
export async function readEntry(
  { entry, encrypted }: ZipEntry,
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (encrypted) throw new ViewFault("压缩包有密码，暂不支持在线查看");
  if (!isFile(entry)) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let length = 0;
  const enough = new Error("enough");
  const collector = new WritableStream<Uint8Array>({
    write(part) {
      parts.push(part.subarray(0, most - length));
      length += Math.min(part.length, most - length);
      if (length >= most) throw enough;
    },
  });
  try {
    await entry.getData(collector, { useWebWorkers: false, checkSignature: false });
  } catch (cause) {
    if (length < most && isForeign(cause)) throw new ViewFault("压缩包已损坏，或用了不支持的压缩方式");
    if (length < most) throw cause;
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
