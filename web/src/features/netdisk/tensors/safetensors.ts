// The header of a safetensors file: eight bytes of length, then JSON with the name, type, shape and place of each tensor.
import { type ByteSource, broken, Cursor, decodeUtf8, readPart } from "../viewing/bytes";
import { elementsOf, factsOf, mostTensors, type Tensor, type TensorFile } from "./model";

/** The limit of the format itself is 100 MB; a header of this size already has a million tensors. */
const largestHeader = 64 * 1024 * 1024;

const bits: Readonly<Record<string, number>> = {
  BOOL: 8,
  U8: 8,
  I8: 8,
  F8_E5M2: 8,
  F8_E4M3: 8,
  F8_E8M0: 8,
  I16: 16,
  U16: 16,
  F16: 16,
  BF16: 16,
  I32: 32,
  U32: 32,
  F32: 32,
  I64: 64,
  U64: 64,
  F64: 64,
  C64: 64,
};

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

export async function readSafetensors(source: ByteSource): Promise<TensorFile> {
  const start = await readPart(source, 0, 8, 8, "文件头");
  const length = new Cursor(start, "文件头").size();
  const bytes = await readPart(source, 8, length, largestHeader, "文件头");
  const header: unknown = JSON.parse(decodeUtf8(bytes));
  if (typeof header !== "object" || header === null) throw broken("文件头不是 JSON 对象");
  const room = source.size - 8 - length;
  const tensors: Tensor[] = [];
  let facts: [string, string][] = [];
  let total = 0;
  let omitted = 0;
  for (const [name, value] of Object.entries(header)) {
    if (name === "__metadata__") {
      if (typeof value === "object" && value !== null) facts = factsOf(Object.entries(value));
      continue;
    }
    const tensor = tensorOf(name, value, room);
    total += elementsOf(tensor.shape);
    if (tensors.length < mostTensors) tensors.push(tensor);
    else omitted += 1;
  }
  return {
    format: "safetensors",
    facts: [["参数量", total.toLocaleString("zh-CN")], ...facts],
    warnings: [],
    tensors,
    omitted,
  };
}

function tensorOf(name: string, value: unknown, room: number): Tensor {
  const { dtype, shape, data_offsets: offsets } = Object(value);
  if (typeof dtype !== "string" || !Array.isArray(shape) || !shape.every(isCount) || !Array.isArray(offsets))
    throw broken(`张量 ${name.slice(0, 80)}`);
  const [begin, end] = offsets;
  if (!isCount(begin) || !isCount(end) || begin > end || end > room)
    throw broken(`张量 ${name.slice(0, 80)} 的位置超出文件的范围`);
  const bytes = end - begin;
  const each = bits[dtype];
  if (each !== undefined && elementsOf(shape) * each !== bytes * 8)
    throw broken(`张量 ${name.slice(0, 80)} 的形状和大小不符`);
  return { name, type: dtype, shape, bytes };
}
