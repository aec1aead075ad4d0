// Headers as the tools write them, and what a hostile file could say in them.
import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { ViewFault } from "../viewing/bytes";
import { joined, number, sourceOf, utf8 } from "../viewing/test-bytes";
import { asViewError } from "../viewing/useFileQuery";
import { readGguf } from "./gguf";
import { half, readNpy } from "./npy";
import { readNpz } from "./npz";
import { readPickle } from "./pickle";
import { readTensors } from "./read-tensors";
import { readSafetensors } from "./safetensors";
import { readTorch } from "./torch";

/** What a page would say of a file that can't be read; a dead page has no words. */
async function faultOf(reading: Promise<unknown>): Promise<string> {
  const cause = asViewError(
    await reading.then(
      () => new Error("it was read"),
      (error: unknown) => error,
    ),
  );
  if (!(cause instanceof ViewFault)) throw cause;
  return cause.message;
}

const safetensors = (header: unknown, content = 0, length?: number) => {
  const text = utf8(typeof header === "string" ? header : JSON.stringify(header));
  return joined(number(length ?? text.length, 8), text, new Uint8Array(content));
};
const tensor = { dtype: "F32", shape: [2, 3], data_offsets: [0, 24] };

describe("safetensors", () => {
  it("lists tensors, without their content", async () => {
    const source = sourceOf(safetensors({ __metadata__: { format: "pt" }, "a.weight": tensor }, 24));
    const { tensors, facts } = await readSafetensors(source);
    expect(tensors).toEqual([{ name: "a.weight", type: "F32", shape: [2, 3], bytes: 24 }]);
    expect(facts).toEqual([
      ["参数量", "6"],
      ["format", "pt"],
    ]);
    expect(Math.max(...source.asked.map(([, end]) => end))).toBe(source.size - 24);
  });

  it.each([
    ["a length beyond the file", safetensors({}, 0, 1_000_000)],
    ["a length that no file has", joined(number(2n ** 62n, 8), utf8("{}"))],
    ["no JSON", safetensors("{{{")],
    ["a list", safetensors("[1]")],
    ["nothing in it", new Uint8Array()],
    ["a place beyond the file", safetensors({ a: { ...tensor, data_offsets: [0, 2 ** 40] } }, 24)],
    ["a place that ends before it begins", safetensors({ a: { ...tensor, data_offsets: [24, 0] } }, 24)],
    ["another size than its shape", safetensors({ a: { ...tensor, shape: [2, 2 ** 40] } }, 24)],
    ["a shape that is none", safetensors({ a: { ...tensor, shape: [-1, "x"] } }, 24)],
    ["nothing for a tensor", safetensors({ a: null }, 24)],
  ])("%s is a fault in Chinese", async (_what, bytes) => {
    expect(await faultOf(readSafetensors(sourceOf(bytes)))).toMatch(/[\u4e00-\u9fff]/);
  });
});

const text = (words: string) => joined(number(utf8(words).length, 8), utf8(words));
const field = (name: string, type: number, value: Uint8Array | number[]) =>
  joined(text(name), number(type, 4), value);
const gguf = (tensors: number, fields: number, ...parts: Uint8Array[]) =>
  joined(utf8("GGUF"), number(3, 4), number(tensors, 8), number(fields, 8), ...parts);
const words = joined(number(8, 4), number(40, 8), ...Array.from({ length: 40 }, (_, at) => text(`词${at}`)));

describe("GGUF", () => {
  const weight = joined(
    text("blk.0.weight"),
    number(2, 4),
    number(4096, 8),
    number(32, 8),
    number(12, 4),
    number(0, 8),
  );

  it("reads facts, also long lists, and tensors", async () => {
    const bytes = gguf(
      1,
      4,
      field("general.name", 8, text("模型")),
      field("tokenizer.tokens", 9, words),
      field("tokenizer.scores", 9, joined(number(6, 4), number(1000, 8), new Uint8Array(4000))),
      field("llama.context_length", 4, number(8192, 4)),
      weight,
    );
    const { facts, tensors } = await readGguf(sourceOf(bytes));
    expect(facts.slice(0, 2)).toEqual([
      ["参数量", "131,072"],
      ["general.name", "模型"],
    ]);
    expect(facts[2]?.[1]).toMatch(/^40 项：词0、词1/);
    expect(facts[4]).toEqual(["llama.context_length", "8192"]);
    expect(tensors).toEqual([{ name: "blk.0.weight", type: "Q4_K", shape: [32, 4096], bytes: null }]);
  });

  it.each([
    ["another mark", utf8("GGML0000000000000000000000000000")],
    ["a short file", utf8("GGUF")],
    ["more tensors than there are", gguf(9, 0)],
    ["more fields than any has", gguf(0, 2 ** 40)],
    ["a text longer than the file", gguf(0, 1, joined(number(2n ** 61n, 8)))],
    ["a list longer than the file", gguf(0, 1, field("x", 9, joined(number(4, 4), number(2n ** 50n, 8))))],
    ["a type that there is not", gguf(0, 1, field("x", 77, [0, 0, 0, 0]))],
    [
      "lists in lists without an end",
      gguf(
        0,
        1,
        field("x", 9, joined(...Array.from({ length: 40 }, () => joined(number(9, 4), number(1, 8))))),
      ),
    ],
    ["many sides", gguf(1, 0, joined(text("t"), number(2 ** 31, 4)))],
  ])("%s is a fault", async (_what, bytes) => {
    expect(await faultOf(readGguf(sourceOf(bytes)))).toMatch(/损坏|不支持/);
  });
});

const npy = (header: string, content: Uint8Array | number[] = []) =>
  joined([0x93], utf8("NUMPY"), [1, 0], number(header.length, 2), utf8(header), content);
const floats = new Uint8Array(Float32Array.from([1, 2.5, -3, 4, 5, 6]).buffer);
const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";

describe("NumPy", () => {
  it("shows the header and the first values", async () => {
    const { facts, values } = await readNpy(sourceOf(npy(header, floats)));
    expect(facts.slice(0, 2)).toEqual([
      ["类型", "float32"],
      ["形状", "2 × 3"],
    ]);
    expect(values?.rows).toEqual([
      ["1", "2.5", "-3"],
      ["4", "5", "6"],
    ]);
  });

  it("warns of objects, which would be unpickled", async () => {
    const { warnings } = await readNpy(
      sourceOf(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }")),
    );
    expect(warnings[0]).toContain("allow_pickle");
  });

  it.each(["[('a', '<f4'), ('b', '|O')]", "[('a', '<f4'), ('b', '|' \"O\")]", "[('a', [('b', 'O')])]"])(
    "warns of objects in a record: %s",
    async (descr) => {
      const { warnings } = await readNpy(
        sourceOf(npy(`{'descr': ${descr}, 'fortran_order': False, 'shape': (1,), }\n`)),
      );
      expect(warnings[0]).toContain("allow_pickle");
    },
  );

  it.each([
    [
      "a second type, which is Python's",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'descr': '|O'}",
    ],
    ["a type before the header", "# 'descr': '<f4', 'fortran_order': False, 'shape': ()\n{'descr': '|O'}"],
    ["a type with an escape", "{'descr': '|\\x4f', 'fortran_order': False, 'shape': (), }"],
    ["a record with an escape", "{'descr': [('a', '|\\x4f')], 'fortran_order': False, 'shape': (), }"],
    ["a second record", "{'descr': [('a', '<f4')], 'descr': '|O', 'fortran_order': False, 'shape': (), }"],
  ])("%s is no header", async (_what, text) => {
    expect(await faultOf(readNpy(sourceOf(npy(text, new Uint8Array(8)))))).toMatch(/损坏/);
  });

  it.each([
    ["no mark", utf8("no array, but long enough")],
    ["a header beyond the file", joined([0x93], utf8("NUMPY"), [1, 0], number(60_000, 2))],
    ["a header that is none", npy("import os")],
    ["less content than its shape", npy(header, [0])],
    [
      "a shape beyond all",
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }"),
    ],
    ["version 9", joined([0x93], utf8("NUMPY"), [9, 0], new Uint8Array(20))],
  ])("%s is a fault", async (_what, bytes) => {
    expect(await faultOf(readNpy(sourceOf(bytes)))).toMatch(/损坏|不支持/);
  });

  it("reads half floats", () => {
    expect([0x3c00, 0xc000, 0x7c00, 0x0001, 0x3555].map(half)).toEqual([
      1,
      -2,
      Number.POSITIVE_INFINITY,
      2 ** -24,
      0.333251953125,
    ]);
  });

  it("lists the arrays of an npz by their beginnings", async () => {
    const zip = zipSync({ "x.npy": npy(header, floats), "说明.txt": utf8("no array") });
    const { tensors } = await readNpz(sourceOf(zip));
    expect(tensors).toMatchObject([{ name: "x", type: "float32", shape: [2, 3] }]);
  });
});

/** `torch.save({"epoch": 3, "w": tensor})`, as pickle's protocol 2 has it; `global` stands for what a file imports. */
const imported = (module: string, name: string) => utf8(`c${module}\n${name}\n`);
const key = (name: string) => joined([0x58], number(utf8(name).length, 4), utf8(name));
const mark = [0x28];
const stored = joined(
  mark,
  key("storage"),
  imported("torch", "FloatStorage"),
  key("0"),
  key("cpu"),
  [0x4b, 6],
  [0x74, 0x51],
);
const weights = joined(
  imported("torch._utils", "_rebuild_tensor_v2"),
  mark,
  stored,
  [0x4b, 0, 0x4b, 2, 0x4b, 3, 0x86, 0x4b, 3, 0x4b, 1, 0x86, 0x89],
  imported("collections", "OrderedDict"),
  [0x29, 0x52],
  [0x74, 0x52],
);
const saved = (...more: Uint8Array[]) =>
  joined([0x80, 2, 0x7d], mark, key("epoch"), [0x4b, 3], key("w"), weights, ...more, [0x75, 0x2e]);
const pt = (pickle: Uint8Array) =>
  zipSync({
    "archive/data.pkl": [pickle, { level: 0 }],
    "archive/data/0": [new Uint8Array(24), { level: 0 }],
  });

it("the ending says how a file is read, and what is unknown is PyTorch's", async () => {
  expect((await readTensors(sourceOf(npy(header, floats)), "npy")).format).toContain("NumPy");
  expect((await readTensors(sourceOf(pt(saved())), "ckpt")).format).toBe("PyTorch");
  expect((await readTensors(sourceOf(pt(saved())), "constructor")).format).toBe("PyTorch");
});

describe("PyTorch", () => {
  it("lists tensors and values of a checkpoint", async () => {
    const { tensors, facts, warnings } = await readTorch(sourceOf(pt(saved())));
    expect(tensors).toEqual([{ name: "w", type: "float32", shape: [2, 3], bytes: 24 }]);
    expect(facts).toEqual([
      ["参数量", "6"],
      ["epoch", "3"],
    ]);
    expect(warnings).toEqual([]);
  });

  it("says what loading it would run, and runs nothing", async () => {
    const evil = joined(key("x"), imported("os", "system"), mark, key("echo hi"), [0x74, 0x52]);
    const { warnings } = await readTorch(sourceOf(pt(saved(evil))));
    expect(warnings[0]).toContain("会导入 os.system。");
  });

  const magic = joined([0x80, 2, 0x8a, 10], number(0x1950a86a20f9469cfc6cn, 10), [0x2e]);
  const version = [0x80, 2, 0x4d, 0xe9, 3, 0x2e];
  const machine = [0x80, 2, 0x7d, 0x2e];

  it("reads the older format, of several pickles", async () => {
    const { format, tensors, warnings } = await readTorch(sourceOf(joined(magic, version, machine, saved())));
    expect(format).toContain("旧格式");
    expect(tensors).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  const runs = joined([0x80, 2], imported("os", "system"), mark, key("echo hi"), [0x74, 0x52, 0x2e]);

  it.each([
    ["in place of the version", joined(magic, runs, machine, saved())],
    ["in place of the machine", joined(magic, version, runs, saved())],
    ["after the object", joined(magic, version, machine, saved(), runs)],
    [
      "in another folder of the archive",
      zipSync({ "archive/data.pkl": saved(), "archive/extra/data.pkl": runs }),
    ],
    ["beside the pickle", zipSync({ "archive/data.pkl": saved(), "archive/constants.pkl": runs })],
    [
      "behind a folder that only looks like the first",
      zipSync({ "a/version": utf8("3"), "b/data.pkl": saved(), "a/data.pkl": runs }),
    ],
  ] as const)("says also what would run %s", async (_what, bytes) => {
    const { warnings } = await readTorch(sourceOf(Uint8Array.from(bytes)));
    expect(warnings[0]).toContain("会导入 os.system。");
  });

  it("a name without an end is cut, in the warning and in the list", async () => {
    const long = "x".repeat(100_000);
    const { warnings, tensors } = await readTorch(
      sourceOf(pt(saved(key("y"), imported(long, "z"), key(long), weights))),
    );
    expect(warnings[0]?.length).toBeLessThan(300);
    expect(tensors.every(({ name }) => name.length <= 1_000)).toBe(true);
    expect(tensors).toHaveLength(2);
  });

  it.each([
    ["no ZIP and no pickle", utf8("<html>not found</html>")],
    ["a ZIP of something else", zipSync({ "a.txt": utf8("x") })],
    [
      "a pickle in another folder than PyTorch reads",
      zipSync({ "a/version": utf8("3"), "b/data.pkl": saved() }),
    ],
    ["a pickle that breaks off", pt(saved().subarray(0, 30))],
    ["an instruction that there is not", pt(Uint8Array.from([0x80, 2, 0xff, 0x2e]))],
    ["a text longer than the file", pt(Uint8Array.from([0x80, 2, 0x58, 0xff, 0xff, 0xff, 0xff, 0x2e]))],
    ["nothing on the stack", pt(Uint8Array.from([0x80, 2, 0x85, 0x2e]))],
    ["an object that was never kept", pt(Uint8Array.from([0x80, 2, 0x68, 9, 0x2e]))],
    ["an integer without an end", pt(Uint8Array.from([0x80, 2, 0x8b, 0xff, 0xff, 0xff, 0x7f, 0x2e]))],
    ["an empty file", new Uint8Array()],
  ])("%s is a fault", async (_what, bytes) => {
    expect(await faultOf(readTorch(sourceOf(bytes)))).toMatch(/损坏|不是 PyTorch/);
  });

  it("a list that holds itself has an end", async () => {
    // [[…]]: kept, then appended to itself.
    const bytes = Uint8Array.from([0x80, 2, 0x5d, 0x71, 0, 0x68, 0, 0x61, 0x2e]);
    expect(readPickle(bytes).value).toMatchObject({ kind: "list" });
    expect((await readTorch(sourceOf(pt(bytes)))).tensors).toEqual([]);
  });
});
