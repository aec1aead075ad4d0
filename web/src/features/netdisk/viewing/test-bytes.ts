// For tests: a file in memory as the views read it, which remembers what was asked for.
import type { ByteSource } from "./bytes";

export interface TestSource extends ByteSource {
  asked: [number, number][];
}

export function sourceOf(bytes: Uint8Array): TestSource {
  const asked: [number, number][] = [];
  return {
    size: bytes.length,
    asked,
    read: async (begin, end) => {
      if (begin < 0 || end > bytes.length || begin > end) throw new Error(`${begin} to ${end} is outside`);
      asked.push([begin, end]);
      return bytes.slice(begin, end);
    },
  };
}

export const utf8 = (text: string) => new TextEncoder().encode(text);

export function joined(...parts: (Uint8Array | readonly number[])[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)));
}

/** Little-endian, `length` bytes. */
export function number(value: number | bigint, length: number): number[] {
  let left = BigInt(value);
  return Array.from({ length }, () => {
    const byte = Number(left & 0xffn);
    left >>= 8n;
    return byte;
  });
}

export const fromBase64 = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
