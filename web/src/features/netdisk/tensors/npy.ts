// NumPy arrays: the header of an `.npy` and its first values. The header is a Python literal, of which only the form is
// taken that NumPy writes.
import {
  type ByteSource,
  broken,
  Cursor,
  decodeUtf8,
  readPart,
  startsWith,
  ViewFault,
} from "../viewing/bytes";
import { elementsOf, type Tensor, type TensorFile } from "./model";

const largestHeader = 1024 * 1024;
const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

interface NpyHeader {
  type: string;
  /** Some values may be Python's own objects. */
  objects: boolean;
  shape: number[];
  columnMajor: boolean;
  /** Where the values begin. */
  start: number;
}

/** How much of the beginning has to be read for the header. */
function npyHeaderLength(start: Uint8Array<ArrayBuffer>): { length: number; start: number } {
  if (!startsWith(start, magic)) throw broken("没有 NumPy 的标记");
  const cursor = new Cursor(start, "文件头");
  cursor.take(6);
  const version = cursor.u8();
  cursor.u8();
  if (version < 1 || version > 3) throw new ViewFault(`不支持第 ${version} 版的 npy，请下载后查看`);
  const length = version === 1 ? cursor.u16() : cursor.u32();
  if (length > largestHeader) throw broken("文件头太长");
  return { length, start: cursor.at };
}

/**
 * The header as NumPy writes it, and nothing beside that: Python would take the second of two types, and look into no
 * comment.
 */
const headerForm =
  /^\s*\{\s*'descr'\s*:\s*('[^'"\\#]{1,40}'|\[[^#\\]*\])\s*,\s*'fortran_order'\s*:\s*(True|False)\s*,\s*'shape'\s*:\s*\(([\d\s,L]*)\)\s*,?\s*\}\s*$/;

function parseNpyHeader(text: string, start: number): NpyHeader {
  const [, descr, order, sides] = headerForm.exec(text) ?? [];
  if (!descr || !order || sides === undefined) throw broken("文件头");
  const shape = sides
    .replaceAll("L", "")
    .split(",")
    .map((side) => side.trim())
    .filter((side) => side !== "")
    .map(Number);
  if (!shape.every((side) => Number.isSafeInteger(side) && side >= 0)) throw broken("形状");
  const type = descr.startsWith("[") ? "结构体" : descr.slice(1, -1);
  // Of a record each field counts; a name with this letter is one warning too many.
  return { type, objects: descr.includes("O"), shape, columnMajor: order === "True", start };
}

/** Bytes of one value; nothing for objects and records. */
function widthOf(type: string): number | null {
  const found = /^[<>|=]?([a-zA-Z])(\d+)$/.exec(type);
  if (!found) return null;
  const width = Number(found[2]);
  return found[1] === "U" ? width * 4 : width;
}

const names: Readonly<Record<string, string>> = { f: "float", i: "int", u: "uint", c: "complex", b: "bool" };

function typeText(type: string): string {
  const found = /^[<>|=]?([a-zA-Z])(\d+)$/.exec(type);
  if (!found) return /O$/.test(type) ? "object" : type;
  const [, kind = "", width = ""] = found;
  if (kind === "b") return "bool";
  return Object.hasOwn(names, kind) ? `${names[kind]}${Number(width) * 8}` : type;
}

/** Objects are stored as a pickle. */
export const pickledWords =
  "数组包含 Python 对象，加载需要 allow_pickle=True，会执行文件中的代码，请勿这样加载来源不明的文件";

const rowsShown = 200;
const columnsShown = 64;

export async function readNpy(source: ByteSource): Promise<TensorFile> {
  const begin = await readPart(source, 0, Math.min(12, source.size), 12, "文件头");
  const { length, start } = npyHeaderLength(begin);
  const text = decodeUtf8(await readPart(source, start, length, largestHeader, "文件头"));
  const header = parseNpyHeader(text, start + length);
  const width = widthOf(header.type);
  const bytes = width === null ? null : elementsOf(header.shape) * width;
  if (bytes !== null && bytes > source.size - header.start) throw broken("内容与形状不符");
  const values = await firstValues(source, header);
  return {
    format: "NumPy 数组",
    facts: [
      ["类型", typeText(header.type)],
      ["形状", header.shape.length === 0 ? "标量" : header.shape.join(" × ")],
      ["存放", header.columnMajor ? "按列（Fortran）" : "按行（C）"],
    ],
    warnings: header.objects ? [pickledWords] : [],
    tensors: [],
    omitted: 0,
    ...(values && { values }),
  };
}

/** The values of one or two sides, of more the first slice; only plain numbers. */
async function firstValues(source: ByteSource, { type, shape, columnMajor, start }: NpyHeader) {
  const read = readerOf(type);
  const width = widthOf(type);
  if (!read || !width || columnMajor || elementsOf(shape) === 0) return null;
  const across = shape.length < 2 ? 1 : (shape.at(-1) ?? 1);
  const down = shape.length < 2 ? (shape[0] ?? 1) : (shape.at(-2) ?? 1);
  const columns = Math.min(across, columnsShown);
  const count = Math.min(down, rowsShown);
  const rows: string[][] = [];
  const step = across * width;
  const whole = step * count <= 4 * 1024 * 1024;
  const block = whole ? await readPart(source, start, step * count, step * count, "内容") : null;
  for (let row = 0; row < count; row += 1) {
    const part =
      block?.subarray(row * step, row * step + columns * width) ??
      (await readPart(source, start + row * step, columns * width, columns * width, "内容"));
    const view = new DataView(part.buffer, part.byteOffset, part.byteLength);
    rows.push(Array.from({ length: columns }, (_, at) => read(view, at * width)));
  }
  const cut = [
    ...(shape.length > 2 ? ["第一个切片"] : []),
    ...(count < down ? [`前 ${count} 行`] : []),
    ...(columns < across ? [`前 ${columns} 列`] : []),
  ];
  return {
    names: Array.from({ length: columns }, (_, at) => (shape.length < 2 ? "值" : `[${at}]`)),
    rows,
    note: cut.length > 0 ? `只显示${cut.join("、")}` : "",
  };
}

type ReadValue = (view: DataView, at: number) => string;

const short = (value: number) =>
  Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(7)));

function readerOf(type: string): ReadValue | null {
  const little = !type.startsWith(">");
  switch (type.replace(/^[<>|=]/, "")) {
    case "b1":
      return (view, at) => (view.getUint8(at) === 0 ? "False" : "True");
    case "i1":
      return (view, at) => String(view.getInt8(at));
    case "u1":
      return (view, at) => String(view.getUint8(at));
    case "i2":
      return (view, at) => String(view.getInt16(at, little));
    case "u2":
      return (view, at) => String(view.getUint16(at, little));
    case "i4":
      return (view, at) => String(view.getInt32(at, little));
    case "u4":
      return (view, at) => String(view.getUint32(at, little));
    case "i8":
      return (view, at) => String(view.getBigInt64(at, little));
    case "u8":
      return (view, at) => String(view.getBigUint64(at, little));
    case "f2":
      return (view, at) => short(half(view.getUint16(at, little)));
    case "f4":
      return (view, at) => short(view.getFloat32(at, little));
    case "f8":
      return (view, at) => short(view.getFloat64(at, little));
    default:
      return null;
  }
}

/** A number of sixteen bits. */
export function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** One array of an `.npz`, by the beginning of its entry. */
export function npyEntry(
  name: string,
  start: Uint8Array<ArrayBuffer>,
  size: number,
): { tensor: Tensor; objects: boolean } {
  const begin = npyHeaderLength(start);
  const text = decodeUtf8(start.subarray(begin.start, begin.start + begin.length));
  const header = parseNpyHeader(text, 0);
  const type = typeText(header.type);
  return { tensor: { name, type, shape: header.shape, bytes: size }, objects: header.objects };
}
