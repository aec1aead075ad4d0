// Text files as bytes: which encoding they are in, and back again. Browsers read every encoding but write only UTF-8,
// so that the tables for writing are made from reading. Pure.

export type Encoded = { bytes: Uint8Array<ArrayBuffer> } | { missing: string[] };

interface Codec {
  name: string;
  label: string;
  /** The mark at the beginning of such a file. */
  mark: readonly number[];
  /** The browser's name of it. */
  decoder: string;
  /** The bytes without the mark, or the characters that the encoding has not. */
  encode: (text: string) => Encoded;
}

export const encodings = [
  { name: "utf-8", label: "UTF-8", mark: [], decoder: "utf-8", encode: utf8 },
  { name: "utf-8-bom", label: "UTF-8 BOM", mark: [0xef, 0xbb, 0xbf], decoder: "utf-8", encode: utf8 },
  { name: "gb18030", label: "GBK", mark: [], decoder: "gb18030", encode: gb18030 },
  { name: "big5", label: "Big5", mark: [], decoder: "big5", encode: doubleByte("big5") },
  { name: "shift_jis", label: "Shift JIS", mark: [], decoder: "shift_jis", encode: doubleByte("shift_jis") },
  { name: "windows-1252", label: "Latin-1", mark: [], decoder: "windows-1252", encode: singleByte },
  { name: "utf-16le", label: "UTF-16 LE", mark: [0xff, 0xfe], decoder: "utf-16le", encode: utf16(true) },
  { name: "utf-16be", label: "UTF-16 BE", mark: [0xfe, 0xff], decoder: "utf-16be", encode: utf16(false) },
] as const satisfies readonly Codec[];

export type Encoding = (typeof encodings)[number]["name"];

const codecOf = (encoding: Encoding): Codec =>
  encodings.find(({ name }) => name === encoding) ?? encodings[0];

export const labelOf = (encoding: Encoding) => codecOf(encoding).label;

const startsWith = (bytes: Uint8Array, start: readonly number[]) =>
  start.every((byte, index) => bytes[index] === byte);

/** Whether all of it is valid in this encoding; invalid bytes would be lost with the first save. */
export function isWhole(bytes: Uint8Array, encoding: Encoding): boolean {
  try {
    new TextDecoder(codecOf(encoding).decoder, { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** By its mark, else by whether it can be UTF-8; Chinese text that is not is nearly always GBK. */
export function encodingOf(bytes: Uint8Array): Encoding {
  const marked = encodings.find(({ mark }) => mark.length > 0 && startsWith(bytes, mark));
  if (marked) return marked.name;
  return isWhole(bytes, "utf-8") ? "utf-8" : "gb18030";
}

export const decode = (bytes: Uint8Array, encoding: Encoding) =>
  new TextDecoder(codecOf(encoding).decoder).decode(bytes);

type Table = ReadonlyMap<string, readonly number[]>;

/** Maps characters to codes of these bytes; a character's first code counts. */
function tableOf(label: string, codes: Iterable<readonly number[]>): Table {
  const decoder = new TextDecoder(label, { fatal: true });
  const table = new Map<string, readonly number[]>();
  for (const code of codes) {
    try {
      const character = decoder.decode(Uint8Array.from(code));
      if (!table.has(character)) table.set(character, code);
    } catch {
      // No character has this code.
    }
  }
  return table;
}

function* pairs(lead: number, last: number): Generator<number[]> {
  for (let first = lead; first <= last; first += 1)
    for (let second = 0x40; second <= 0xfe; second += 1) yield [first, second];
}

function* singles(): Generator<number[]> {
  for (let byte = 0; byte <= 0xff; byte += 1) yield [byte];
}

/** The four-byte codes of GB18030, up to U+FFFF. */
function* fours(): Generator<number[]> {
  for (let index = 0; index < 39_420; index += 1) yield fourBytes(index);
}

const fourBytes = (index: number) => [
  0x81 + Math.floor(index / 12_600),
  0x30 + (Math.floor(index / 1_260) % 10),
  0x81 + (Math.floor(index / 10) % 126),
  0x30 + (index % 10),
];

const tables = new Map<string, Table>();

function tableFor(name: string, make: () => Table): Table {
  const known = tables.get(name) ?? make();
  tables.set(name, known);
  return known;
}

function* doubleByteCodes(): Generator<number[]> {
  yield* singles();
  yield* pairs(0x81, 0xfe);
}

const doubleBytes = (label: string) => tableFor(label, () => tableOf(label, doubleByteCodes()));

function byCodes(text: string, codeOf: (character: string) => readonly number[] | undefined): Encoded {
  const bytes: number[] = [];
  const missing = new Set<string>();
  for (const character of text) {
    const code = codeOf(character);
    if (code) bytes.push(...code);
    else missing.add(character);
  }
  return missing.size > 0 ? { missing: Array.from(missing) } : { bytes: Uint8Array.from(bytes) };
}

function doubleByte(label: string) {
  return (text: string) => byCodes(text, (character) => doubleBytes(label).get(character));
}

/** Every byte is a character, so that any file can be read and written without loss. */
function singleByte(text: string): Encoded {
  const table = tableFor("windows-1252", () => tableOf("windows-1252", singles()));
  return byCodes(text, (character) => table.get(character));
}

function gb18030(text: string): Encoded {
  return byCodes(text, (character) => {
    const two = doubleBytes("gb18030").get(character);
    if (two) return two;
    const point = character.codePointAt(0) ?? 0;
    if (point >= 0x10000) return fourBytes(point - 0x10000 + 189_000);
    return tableFor("gb18030 fours", () => tableOf("gb18030", fours())).get(character);
  });
}

function utf8(text: string): Encoded {
  return { bytes: new TextEncoder().encode(text) };
}

function utf16(little: boolean) {
  return (text: string): Encoded => {
    const bytes = new Uint8Array(text.length * 2);
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2, text.charCodeAt(at), little);
    return { bytes };
  };
}

/** The bytes, or the characters that the encoding has not. */
export function encode(text: string, encoding: Encoding): Encoded {
  const { mark, encode: write } = codecOf(encoding);
  const encoded = write(text);
  if ("missing" in encoded || mark.length === 0) return encoded;
  const bytes = new Uint8Array(mark.length + encoded.bytes.length);
  bytes.set(mark);
  bytes.set(encoded.bytes, mark.length);
  return { bytes };
}
