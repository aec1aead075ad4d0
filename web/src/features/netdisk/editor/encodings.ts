// Text files as bytes: which encoding they are in, and back again. Browsers read every encoding but write only UTF-8,
// so that the tables for writing are made from reading. Pure.

export const encodings = [
  { name: "utf-8", label: "UTF-8" },
  { name: "utf-8-bom", label: "UTF-8 BOM" },
  { name: "gb18030", label: "GBK" },
  { name: "big5", label: "Big5" },
  { name: "shift_jis", label: "Shift JIS" },
  { name: "utf-16le", label: "UTF-16 LE" },
  { name: "utf-16be", label: "UTF-16 BE" },
] as const;

export type Encoding = (typeof encodings)[number]["name"];

export const labelOf = (encoding: Encoding) =>
  encodings.find(({ name }) => name === encoding)?.label ?? encoding;

const bom = [0xef, 0xbb, 0xbf];

const startsWith = (bytes: Uint8Array, ...start: number[]) =>
  start.every((byte, index) => bytes[index] === byte);

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** By its mark, else by whether it can be UTF-8; Chinese text that is not is nearly always GBK. */
export function encodingOf(bytes: Uint8Array): Encoding {
  if (startsWith(bytes, ...bom)) return "utf-8-bom";
  if (startsWith(bytes, 0xff, 0xfe)) return "utf-16le";
  if (startsWith(bytes, 0xfe, 0xff)) return "utf-16be";
  return isUtf8(bytes) ? "utf-8" : "gb18030";
}

export const decode = (bytes: Uint8Array, encoding: Encoding) =>
  new TextDecoder(encoding === "utf-8-bom" ? "utf-8" : encoding).decode(bytes);

type Table = ReadonlyMap<string, readonly number[]>;

/** The characters that codes of these bytes stand for, the first code of a character counts. */
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

/** The codes of GB18030 for what GBK has not, up to U+FFFF. */
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

function codeOf(
  character: string,
  encoding: "gb18030" | "big5" | "shift_jis",
): readonly number[] | undefined {
  const two = tableFor(encoding, () => tableOf(encoding, doubleByteCodes())).get(character);
  if (two || encoding !== "gb18030") return two;
  const point = character.codePointAt(0) ?? 0;
  if (point >= 0x10000) return fourBytes(point - 0x10000 + 189_000);
  return tableFor("gb18030 fours", () => tableOf("gb18030", fours())).get(character);
}

export type Encoded = { bytes: Uint8Array<ArrayBuffer> } | { missing: string[] };

function encodeByTable(text: string, encoding: "gb18030" | "big5" | "shift_jis"): Encoded {
  const bytes: number[] = [];
  const missing = new Set<string>();
  for (const character of text) {
    const code = codeOf(character, encoding);
    if (code) bytes.push(...code);
    else missing.add(character);
  }
  return missing.size > 0 ? { missing: Array.from(missing) } : { bytes: Uint8Array.from(bytes) };
}

function encodeUtf16(text: string, little: boolean): Encoded {
  const bytes = new Uint8Array(2 + text.length * 2);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0xfeff, little);
  for (let at = 0; at < text.length; at += 1) view.setUint16(2 + at * 2, text.charCodeAt(at), little);
  return { bytes };
}

/** The bytes, or the characters that the encoding has not. */
export function encode(text: string, encoding: Encoding): Encoded {
  switch (encoding) {
    case "utf-8":
      return { bytes: new TextEncoder().encode(text) };
    case "utf-8-bom":
      return { bytes: Uint8Array.from([...bom, ...new TextEncoder().encode(text)]) };
    case "utf-16le":
    case "utf-16be":
      return encodeUtf16(text, encoding === "utf-16le");
    default:
      return encodeByTable(text, encoding);
  }
}

/** How most lines of a text end. The editor itself knows only one end. */
export function lineEndOf(text: string): "\n" | "\r\n" {
  const all = text.split("\n").length - 1;
  const windows = text.split("\r\n").length - 1;
  return windows * 2 > all ? "\r\n" : "\n";
}
