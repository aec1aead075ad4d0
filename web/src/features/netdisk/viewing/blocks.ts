// Keeps the last read blocks of a file: readers of archives and columns ask for many small parts beside each other.
import type { ByteSource } from "./bytes";

const blockSize = 256 * 1024;
const mostBlocks = 64;

/** Larger parts are read as they are: they would push everything else out. */
const mostCached = 2 * blockSize;

export function withBlocks(source: ByteSource): ByteSource {
  const blocks = new Map<number, Promise<Uint8Array<ArrayBuffer>>>();

  function block(index: number): Promise<Uint8Array<ArrayBuffer>> {
    const begin = index * blockSize;
    const known = blocks.get(index) ?? source.read(begin, Math.min(begin + blockSize, source.size));
    blocks.delete(index);
    blocks.set(index, known);
    // A failed one is tried again.
    known.catch(() => blocks.delete(index));
    const [oldest] = blocks.keys();
    if (blocks.size > mostBlocks && oldest !== undefined) blocks.delete(oldest);
    return known;
  }

  async function read(begin: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    if (end - begin > mostCached) return source.read(begin, end);
    const first = Math.floor(begin / blockSize);
    const last = Math.floor(Math.max(begin, end - 1) / blockSize);
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const parts = await Promise.all(numbers.map(block));
    const part = new Uint8Array(end - begin);
    for (const [index, bytes] of parts.entries()) {
      const at = (first + index) * blockSize;
      const from = Math.max(begin, at);
      const to = Math.min(end, at + bytes.length);
      if (to > from) part.set(bytes.subarray(from - at, to - at), from - begin);
    }
    return part;
  }

  return { size: source.size, read };
}
