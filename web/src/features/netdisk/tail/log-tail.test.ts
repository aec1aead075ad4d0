import { describe, expect, it } from "vitest";
import { encode } from "../editor/encodings";
import { LogTail } from "./log-tail";

function fileOf(start: string) {
  const file = { bytes: new TextEncoder().encode(start), asked: [] as [number, number][] };
  const tail = () =>
    new LogTail(async (begin, end) => {
      file.asked.push([begin, end]);
      return file.bytes.slice(begin, end);
    }, file.bytes.length);
  const write = (text: string) => {
    const more = new TextEncoder().encode(text);
    const joined = new Uint8Array(file.bytes.length + more.length);
    joined.set(file.bytes);
    joined.set(more, file.bytes.length);
    file.bytes = joined;
  };
  return { file, tail, write };
}
const texts = ({ lines }: LogTail) => lines.map(({ text }) => text);
const many = (count: number) =>
  `${Array.from({ length: count }, (_, at) => `line ${at} ${"x".repeat(90)}`).join("\n")}\n`;

describe("the end of a log", () => {
  it("is shown without the rest, and grows upwards to the beginning", async () => {
    const { file, tail } = fileOf(many(9_000));
    const log = tail();
    await log.open();
    expect(log.atStart).toBe(false);
    expect(texts(log).at(-1)).toMatch(/^line 8999 /);
    expect(texts(log)[0]).toMatch(/^line \d+ x+$/);
    while (!log.atStart) await log.earlier();
    expect(texts(log)).toHaveLength(9_000);
    expect(texts(log).every((text, at) => text.startsWith(`line ${at} `))).toBe(true);
    expect(new Set(log.lines.map(({ number }) => number)).size).toBe(9_000);
    expect(file.asked.every(([begin, end]) => end - begin <= 256 * 1024 + 1)).toBe(true);
  });

  it("follows what is written, also a line that comes in parts", async () => {
    const { file, tail, write } = fileOf("a\nstep 1");
    const log = tail();
    await log.open();
    expect(texts(log)).toEqual(["a", "step 1"]);
    write(" done\nstep 2\n");
    await log.later(file.bytes.length);
    expect(texts(log)).toEqual(["a", "step 1 done", "step 2"]);
    write("步骤".repeat(2));
    await log.later(file.bytes.length);
    write("完成\n");
    await log.later(file.bytes.length);
    expect(texts(log).at(-1)).toBe("步骤步骤完成");
    expect(log.atEnd).toBe(true);
  });

  it("begins anew when the file was emptied", async () => {
    const { file, tail } = fileOf("one\ntwo\n");
    const log = tail();
    await log.open();
    file.bytes = new TextEncoder().encode("new\n");
    await log.later(4);
    expect(texts(log)).toEqual(["new"]);
  });

  it("keeps no more than its window, and comes back to the end", async () => {
    const { file, tail } = fileOf(many(200_000));
    const log = tail();
    await log.open();
    for (let step = 0; step < 74; step += 1) await log.earlier();
    expect(log.to - log.from).toBeLessThanOrEqual(17 * 1024 * 1024);
    expect(log.atEnd).toBe(false);
    const last = texts(log).at(-1) ?? "";
    await log.later(file.bytes.length);
    const at = texts(log).indexOf(last);
    expect(Number(texts(log)[at + 1]?.split(" ")[1])).toBe(Number(last.split(" ")[1]) + 1);
    await log.open();
    expect(texts(log).at(-1)).toMatch(/^line 199999 /);
  });

  it("of empty lines has no more of them than a window holds", async () => {
    const { file, tail } = fileOf("\n".repeat(1_500_000));
    const log = tail();
    await log.open();
    for (let step = 0; step < 4; step += 1) {
      await log.earlier();
      expect(log.lines.length).toBeLessThanOrEqual(400_000);
    }
    await log.later(file.bytes.length);
    expect(log.lines.length).toBeLessThanOrEqual(400_000);
    expect(log.lines.length).toBeGreaterThan(0);
  });

  it("can be read from its beginning on", async () => {
    const { tail } = fileOf(many(9_000));
    const log = tail();
    await log.start();
    expect(texts(log)[0]).toMatch(/^line 0 /);
    expect(log.atEnd).toBe(false);
    while (!log.atEnd) await log.later();
    expect(texts(log)).toHaveLength(9_000);
    expect(texts(log).every((text, at) => text.startsWith(`line ${at} `))).toBe(true);
  });

  it("is no log where there are zeros in it", async () => {
    await expect(fileOf("\u007fELF\u0000\u0000").tail().open()).rejects.toThrow("文件不是文本");
  });

  it("reads UTF-16, as PowerShell writes", async () => {
    const encoded = encode("第一行\r\n第二行\r\n", "utf-16le");
    if ("missing" in encoded) throw new Error("UTF-16 has all");
    const log = new LogTail(async (begin, end) => encoded.bytes.slice(begin, end), encoded.bytes.length);
    await log.open();
    expect(texts(log)).toEqual(["第一行", "第二行"]);
  });

  it("an empty file has no lines, and a line without an end is cut", async () => {
    const { tail } = fileOf("");
    const log = tail();
    await log.open();
    expect(texts(log)).toEqual([]);
    const long = fileOf("x".repeat(300_000)).tail();
    await long.open();
    expect(texts(long).every(({ length }) => length <= 64 * 1024)).toBe(true);
  });
});
