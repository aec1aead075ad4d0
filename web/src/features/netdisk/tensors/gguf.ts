// The header of a GGUF file: facts about the model, then the name, shape and type of each tensor. Read as far as it goes,
// piece by piece, since the words of a tokenizer are among the facts.
import { type ByteSource, broken, Cursor, startsWith, ViewFault } from "../viewing/bytes";
import { elementsOf, factsOf, mostTensors, type Tensor, type TensorFile } from "./model";

const pieceSize = 1024 * 1024;
/** All of the header. */
const mostRead = 256 * 1024 * 1024;
const mostFields = 100_000;
const longestText = 16 * 1024 * 1024;
const shownItems = 16;
const deepest = 4;

/** Reads on when the cursor comes to the end of what is there. */
class GgufReader {
  private cursor = new Cursor(new Uint8Array(), "文件头");
  /** Where the next piece begins. */
  private next = 0;

  constructor(
    private readonly source: ByteSource,
    /** The first version had shorter lengths. */
    public short = false,
  ) {}

  private async need(length: number) {
    if (length <= this.cursor.left) return;
    const missing = length - this.cursor.left;
    if (!Number.isSafeInteger(length) || missing > this.source.size - this.next) throw broken("文件头不完整");
    const end = Math.min(this.source.size, this.next + Math.max(pieceSize, missing));
    if (end > mostRead) throw new ViewFault("文件头太大，请下载后查看");
    const piece = await this.source.read(this.next, end);
    const rest = this.cursor.bytes.subarray(this.cursor.at);
    const joined = new Uint8Array(rest.length + piece.length);
    joined.set(rest);
    joined.set(piece, rest.length);
    this.cursor = new Cursor(joined, "文件头");
    this.next = end;
  }

  async take(length: number) {
    await this.need(length);
    return this.cursor.take(length);
  }

  /** Passes over this many bytes without reading those that are not there yet. */
  async skip(length: number) {
    const here = Math.min(length, this.cursor.left);
    this.cursor.take(here);
    const beyond = length - here;
    if (!Number.isSafeInteger(length) || beyond > this.source.size - this.next) throw broken("文件头不完整");
    this.next += beyond;
  }

  async u32() {
    await this.need(4);
    return this.cursor.u32();
  }

  async length() {
    if (this.short) return this.u32();
    await this.need(8);
    return this.cursor.size();
  }

  async text() {
    const length = await this.length();
    if (length > longestText) throw broken("文件头里的文字太长");
    await this.need(length);
    return this.cursor.text(length);
  }

  /** A value of a type of a fixed size. */
  async number(type: number): Promise<number | bigint | boolean> {
    await this.need(sizes[type] ?? 8);
    const { cursor } = this;
    switch (type) {
      case 0:
        return cursor.u8();
      case 1:
        return (cursor.u8() << 24) >> 24;
      case 2:
        return cursor.u16();
      case 3:
        return (cursor.u16() << 16) >> 16;
      case 4:
        return cursor.u32();
      case 5:
        return cursor.i32();
      case 6:
        return cursor.f32();
      case 7:
        return cursor.u8() !== 0;
      case 10:
        return cursor.u64();
      case 11:
        return cursor.i64();
      default:
        return cursor.f64();
    }
  }
}

const sizes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const text = 8;
const list = 9;

async function readValue(reader: GgufReader, type: number, depth = 0): Promise<unknown> {
  if (type === text) return reader.text();
  if (type !== list) {
    if (!Object.hasOwn(sizes, type)) throw broken(`未知类型 ${type}`);
    const value = await reader.number(type);
    return typeof value === "bigint" ? value.toString() : value;
  }
  if (depth >= deepest) throw broken("列表嵌套太深");
  return listOf(reader, depth);
}

async function listOf(reader: GgufReader, depth: number): Promise<string> {
  const type = await reader.u32();
  const count = await reader.length();
  const first: unknown[] = [];
  const size = sizes[type];
  for (let at = 0; at < count; at += 1) {
    if (first.length < shownItems) first.push(await readValue(reader, type, depth + 1));
    else if (size !== undefined) {
      // The rest of a list of numbers is passed over in one step.
      await reader.skip((count - at) * size);
      break;
    } else await readValue(reader, type, depth + 1);
  }
  return `${count.toLocaleString("zh-CN")} 项：${first.map(String).join("、")}${count > first.length ? "…" : ""}`;
}

const types: Readonly<Record<number, string>> = {
  ...{ 0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 9: "Q8_1" },
  ...{ 10: "Q2_K", 11: "Q3_K", 12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 15: "Q8_K" },
  ...{ 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S" },
  ...{ 23: "IQ4_XS", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64", 29: "IQ1_M", 30: "BF16" },
  ...{ 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4" },
};

async function tensorOf(reader: GgufReader): Promise<Tensor> {
  const name = await reader.text();
  const sides = await reader.u32();
  if (sides > 8) throw broken(`张量 ${name.slice(0, 80)} 有 ${sides} 维`);
  const shape: number[] = [];
  for (let side = 0; side < sides; side += 1) shape.push(await reader.length());
  const type = await reader.u32();
  await reader.take(8);
  // The fastest side stands first, other than everywhere else.
  return { name, type: types[type] ?? `类型 ${type}`, shape: shape.toReversed(), bytes: null };
}

export async function readGguf(source: ByteSource): Promise<TensorFile> {
  const reader = new GgufReader(source);
  if (source.size < 24 || !startsWith(await reader.take(4), [0x47, 0x47, 0x55, 0x46]))
    throw broken("没有 GGUF 的标记");
  const version = await reader.u32();
  if (version < 1 || version > 3) throw new ViewFault(`不支持第 ${version} 版的 GGUF，请下载后查看`);
  reader.short = version === 1;
  const count = await reader.length();
  const fields = await reader.length();
  if (fields > mostFields) throw broken("文件头的项数");
  const facts: [string, unknown][] = [];
  for (let at = 0; at < fields; at += 1) {
    const name = await reader.text();
    facts.push([name, await readValue(reader, await reader.u32())]);
  }
  const tensors: Tensor[] = [];
  let total = 0;
  for (let at = 0; at < Math.min(count, mostTensors); at += 1) {
    const tensor = await tensorOf(reader);
    total += elementsOf(tensor.shape);
    tensors.push(tensor);
  }
  return {
    format: `GGUF 第 ${version} 版`,
    facts: [["参数量", total.toLocaleString("zh-CN")], ...factsOf(facts)],
    warnings: [],
    tensors,
    omitted: count - tensors.length,
  };
}
