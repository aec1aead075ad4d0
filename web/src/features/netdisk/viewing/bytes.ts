// Bytes of a file by position, so that nothing large is loaded whole, and what all readers of foreign formats share:
// each length and offset that stands in a file is checked before it is used.

/** A file whose bytes are fetched by position. */
export interface ByteSource {
  readonly size: number;
  /** `end` is not included; both are within the file. */
  read: (begin: number, end: number) => Promise<Uint8Array<ArrayBuffer>>;
}

/** Why a file can't be shown, in words for people. */
export class ViewFault extends Error {
  override name = "ViewFault";
}

/** An error of a library or of the browser, and not of the network or ours. */
export const isForeign = (cause: unknown) =>
  cause instanceof Error &&
  !(cause instanceof ViewFault) &&
  cause.name !== "AbortError" &&
  !("status" in cause);

/** The content contradicts its format. */
export const broken = (what: string) => new ViewFault(`文件已损坏，或不是这种格式：${what}`);

/** A part of a file; a fault where it would lie outside, or be larger than `most` bytes. */
export async function readPart(
  source: ByteSource,
  begin: number,
  length: number,
  most: number,
  what: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const whole = Number.isSafeInteger(begin) && Number.isSafeInteger(length) && begin >= 0 && length >= 0;
  if (!whole || begin + length > source.size) throw broken(`${what}超出文件的范围`);
  if (length > most) throw new ViewFault(`${what}太大，请下载后查看`);
  return length === 0 ? new Uint8Array() : source.read(begin, begin + length);
}

/** Reads numbers and strings one after the other; little-endian, as all these formats are. */
export class Cursor {
  private readonly view: DataView;
  at = 0;

  constructor(
    readonly bytes: Uint8Array<ArrayBuffer>,
    private readonly what: string,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left() {
    return this.bytes.length - this.at;
  }

  private step(length: number): number {
    if (!Number.isSafeInteger(length) || length < 0 || length > this.left) throw broken(`${this.what}不完整`);
    const at = this.at;
    this.at += length;
    return at;
  }

  u8() {
    return this.view.getUint8(this.step(1));
  }

  u16() {
    return this.view.getUint16(this.step(2), true);
  }

  u32() {
    return this.view.getUint32(this.step(4), true);
  }

  i32() {
    return this.view.getInt32(this.step(4), true);
  }

  f32() {
    return this.view.getFloat32(this.step(4), true);
  }

  f64(littleEndian = true) {
    return this.view.getFloat64(this.step(8), littleEndian);
  }

  u64() {
    return this.view.getBigUint64(this.step(8), true);
  }

  i64() {
    return this.view.getBigInt64(this.step(8), true);
  }

  /** A length or an offset. One that no file can have is a fault. */
  size() {
    const value = Number(this.u64());
    if (!Number.isSafeInteger(value)) throw broken(`${this.what}里的长度`);
    return value;
  }

  take(length: number) {
    const at = this.step(length);
    return this.bytes.subarray(at, at + length);
  }

  text(length: number) {
    return decodeUtf8(this.take(length));
  }
}

const utf8 = new TextDecoder();

export const decodeUtf8 = (bytes: Uint8Array) => utf8.decode(bytes);

export const startsWith = (bytes: Uint8Array, start: readonly number[]) =>
  start.every((byte, index) => bytes[index] === byte);
