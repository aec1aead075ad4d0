// What `torch.save` wrote: a ZIP whose `data.pkl` describes the tensors, or, before PyTorch 1.6, several pickles one after
// the other. Nothing of it is run; what loading it would import is said.
import { type ByteSource, startsWith, ViewFault } from "../viewing/bytes";
import { openZip, readEntry, type ZipEntry } from "../viewing/zip-file";
import { elementsOf, factsOf, mostTensors, type Tensor, type TensorFile } from "./model";
import { type Pickle, readPickle, type Value } from "./pickle";

const largestPickle = 64 * 1024 * 1024;
const zipStart = [0x50, 0x4b];

/** What an ordinary file of weights imports; anything else may do anything while it is loaded. */
const ordinary =
  /^(torch\.((Float|Double|Half|BFloat16|Long|Int|Short|Char|Byte|Bool|Untyped)Storage|storage\.UntypedStorage|Size|device|dtype|bfloat16|float(16|32|64)?|int(8|16|32|64)|_utils\._rebuild_\w+|_tensor\._rebuild_from_type_v2|nn\.parameter\.Parameter|serialization\._get_layout)|collections\.(OrderedDict|defaultdict)|numpy\.(ndarray|dtype|_?core\.multiarray\.(_reconstruct|scalar))|_codecs\.encode|(__builtin__|builtins)\.(set|list|dict|int|float|bytearray|slice))$/;

export async function readTorch(source: ByteSource): Promise<TensorFile> {
  const start = source.size > 0 ? await source.read(0, Math.min(source.size, 64)) : new Uint8Array();
  const isZip = startsWith(start, zipStart);
  const { value, globals } = isZip ? await zippedPickle(source) : await olderPickle(source);
  const tensors: Tensor[] = [];
  const scalars: [string, unknown][] = [];
  collect(value, tensors, scalars);
  const total = tensors.reduce((sum, { shape }) => sum + elementsOf(shape), 0);
  const strange = globals.filter((name) => !ordinary.test(name));
  return {
    format: isZip ? "PyTorch" : "PyTorch（旧格式）",
    facts: [["参数量", total.toLocaleString("zh-CN")], ...factsOf(scalars)],
    warnings:
      strange.length > 0
        ? [
            `用 torch.load 打开会导入 ${strange.slice(0, 8).map(shortName).join("、")}${strange.length > 8 ? ` 等 ${strange.length} 个` : ""}。来源不明的文件可能借此执行代码，请用 weights_only=True`,
          ]
        : [],
    tensors: tensors.slice(0, mostTensors),
    omitted: Math.max(0, tensors.length - mostTensors),
  };
}

const shortName = (name: string) => (name.length > 80 ? `${name.slice(0, 80)}…` : name);

/** More pickles than any file has beside its own; loading a file may read each of them. */
const mostPickles = 8;

const isPickle = ({ name, isDir }: ZipEntry) => !isDir && name.endsWith(".pkl");

/**
 * PyTorch reads `data.pkl` of the folder that the first entry lies in. Another one may be there for those who only look,
 * so what any of them imports is said.
 */
async function zippedPickle(source: ByteSource): Promise<Pickle> {
  const { entries } = await openZip(source);
  const folder = entries[0]?.name.split("/")[0] ?? "";
  const pickles = entries.filter(isPickle);
  const own = pickles.filter(({ name }) => name === `${folder}/data.pkl`);
  const [entry] = own;
  if (!entry) throw new ViewFault("文件不是 PyTorch 保存的：里面没有 data.pkl");
  // Which of them is loaded depends on the reader.
  if (own.length > 1) throw new ViewFault("文件里有多个 data.pkl，不是 PyTorch 保存的");
  if (pickles.length > mostPickles) throw new ViewFault("文件里的 pickle 太多，请下载后查看");
  const { value, globals, end } = await entryPickle(entry);
  const all = new Set(globals);
  for (const other of pickles) {
    if (other === entry) continue;
    for (const name of (await entryPickle(other)).globals) all.add(name);
  }
  return { value, globals: Array.from(all), end };
}

async function entryPickle(entry: ZipEntry): Promise<Pickle> {
  if (entry.size > largestPickle) throw new ViewFault("文件头太大，请下载后查看");
  return readPickle(await readEntry(entry, largestPickle));
}

/** A mark, a version and the machine, then the object, then the names of its storages: loading runs all of them. */
async function olderPickle(source: ByteSource): Promise<Pickle> {
  const bytes = await source.read(0, Math.min(source.size, largestPickle));
  if (bytes[0] !== 0x80) throw new ViewFault("文件不是 PyTorch 保存的");
  const mark = readPickle(bytes);
  if (mark.value !== 0x1950a86a20f9469cfc6cn) return mark;
  const version = readPickle(bytes, mark.end);
  const machine = readPickle(bytes, version.end);
  const object = readPickle(bytes, machine.end);
  const storages = object.end < bytes.length ? readPickle(bytes, object.end) : null;
  const all = [mark, version, machine, object, storages].flatMap((one) => one?.globals ?? []);
  return { ...object, globals: Array.from(new Set(all)) };
}

const mostVisited = 2_000_000;
const deepest = 40;
const longestName = 1_000;

/** Follows names through dictionaries and objects. What is met twice is taken once. */
function collect(root: Value, tensors: Tensor[], scalars: [string, unknown][]) {
  const seen = new Set<object>();
  let left = mostVisited;
  const visit = (value: Value, name: string, depth: number) => {
    left -= 1;
    if (left < 0 || depth > deepest) return;
    if (typeof value !== "object" || value === null) {
      if (name !== "" && scalars.length < 200) scalars.push([name, value]);
      return;
    }
    const tensor = tensorOf(value, name);
    if (tensor) {
      tensors.push(tensor);
      return;
    }
    if (seen.has(value)) return;
    seen.add(value);
    for (const [part, child] of childrenOf(value))
      visit(child, (name === "" ? part : `${name}.${part}`).slice(0, longestName), depth + 1);
  };
  visit(root, "", 0);
}

const isText = (value: Value): value is string => typeof value === "string";

function childrenOf(value: Extract<Value, object>): [string, Value][] {
  switch (value.kind) {
    case "dict":
      return named(value.entries);
    case "list":
    case "tuple":
      return value.items.map((item, at) => [String(at), item]);
    case "call":
      return [...named(value.entries), ...statesOf(value.state)];
    default:
      return [];
  }
}

const named = (entries: readonly [Value, Value][]): [string, Value][] =>
  entries.map(([key, value]) => [isText(key) || typeof key === "number" ? String(key) : "?", value]);

/** A module keeps its parts in dictionaries with these names, which say nothing about the parts. */
function statesOf(state: Value): [string, Value][] {
  if (typeof state !== "object" || state === null || state.kind !== "dict") return [];
  return named(state.entries).flatMap(([name, value]): [string, Value][] => {
    if (!/^_(modules|parameters|buffers)$/.test(name)) return name.startsWith("_") ? [] : [[name, value]];
    return typeof value === "object" && value !== null && "entries" in value ? named(value.entries) : [];
  });
}

const itemsOf = (value: Value | undefined): readonly Value[] =>
  typeof value === "object" && value !== null && (value.kind === "tuple" || value.kind === "list")
    ? value.items
    : [];

const globalName = (value: Value | undefined) =>
  typeof value === "object" && value !== null && value.kind === "global" ? value.name : "";

const storages: Readonly<Record<string, [string, number]>> = {
  Float: ["float32", 4],
  Double: ["float64", 8],
  Half: ["float16", 2],
  BFloat16: ["bfloat16", 2],
  Long: ["int64", 8],
  Int: ["int32", 4],
  Short: ["int16", 2],
  Char: ["int8", 1],
  Byte: ["uint8", 1],
  Bool: ["bool", 1],
};

/** A call that makes a tensor out of a storage. */
function tensorOf(value: Value, name: string): Tensor | null {
  if (typeof value !== "object" || value === null || value.kind !== "call") return null;
  const maker = globalName(value.of);
  const args = itemsOf(value.args);
  if (/\._rebuild_parameter/.test(maker)) return args[0] === undefined ? null : tensorOf(args[0], name);
  if (!/^torch\._utils\._rebuild_tensor/.test(maker)) return null;
  const [storage, , size] = args;
  if (typeof storage !== "object" || storage === null || storage.kind !== "elsewhere") return null;
  const kind = /^torch\.(?:storage\.)?(\w+?)Storage$/.exec(globalName(itemsOf(storage.id)[1]))?.[1] ?? "";
  const [type, width] = (Object.hasOwn(storages, kind) ? storages[kind] : undefined) ?? [kind || "未知", 0];
  const shape = itemsOf(size).map(Number);
  if (!shape.every((side) => Number.isSafeInteger(side) && side >= 0)) return null;
  const count = shape.reduce((product, side) => product * side, 1);
  return { name: name || "（无名）", type, shape, bytes: width === 0 ? null : count * width };
}
