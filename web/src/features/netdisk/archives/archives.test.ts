import { gzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { encode } from "../editor/encodings";
import { joined, sourceOf, utf8 } from "../viewing/test-bytes";
import { asViewError } from "../viewing/useFileQuery";
import { readArchive } from "./read-archive";
import { type ByteStream, readTar, streamOf } from "./tar";
import { rowsIn } from "./tree";

const signal = new AbortController().signal;
const listOf = (name: string, bytes: Uint8Array) => readArchive(sourceOf(bytes), name, signal);
const namesOf = async (name: string, bytes: Uint8Array) =>
  (await listOf(name, bytes)).entries.map((entry) => entry.name);
const wordsOf = async (name: string, bytes: Uint8Array) => {
  const cause = asViewError(
    await listOf(name, bytes).then(
      () => null,
      (error: unknown) => error,
    ),
  );
  return cause instanceof Error ? cause.message : "it was read";
};

/** One entry of a TAR: the header, and the content to the next block. */
function tarEntry(name: string, content: Uint8Array, { type = "0", size = content.length } = {}) {
  const header = new Uint8Array(512);
  const put = (at: number, text: Uint8Array | string) =>
    header.set(typeof text === "string" ? utf8(text) : text, at);
  put(0, utf8(name).subarray(0, 100));
  put(100, "0000644\0");
  put(124, `${size.toString(8).padStart(11, "0")}\0`);
  put(136, `${(1_760_000_000).toString(8)}\0`);
  put(156, type);
  put(257, "ustar\0");
  put(263, "00");
  put(148, "        ");
  const sum = header.reduce((all, byte) => all + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return joined(header, content, new Uint8Array((512 - (content.length % 512)) % 512));
}
const ending = new Uint8Array(1024);
const pax = (key: string, value: string) => {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length;
  while (String(length).length + utf8(rest).length !== length)
    length = String(length).length + utf8(rest).length;
  return utf8(`${length}${rest}`);
};

describe("a TAR", () => {
  const long = `数据/${"很长的名称".repeat(20)}.jpg`;
  const tar = joined(
    tarEntry("dir/", new Uint8Array(), { type: "5" }),
    tarEntry("dir/a.txt", utf8("hello")),
    tarEntry("PaxHeader", pax("path", long), { type: "x" }),
    tarEntry("short", new Uint8Array(700)),
    tarEntry("././@LongLink", utf8(`${long}2\0`), { type: "L" }),
    tarEntry("short", new Uint8Array(3)),
    ending,
  );

  it("is listed by its headers, with long names", async () => {
    expect(await namesOf("a.tar", tar)).toEqual(["dir/", "dir/a.txt", long, `${long}2`]);
    expect((await listOf("a.tar", tar)).entries[1]).toMatchObject({
      size: 5,
      modified: "2025-10-09T08:53:20.000Z",
    });
  });

  it("is listed as it comes where it is packed", async () => {
    expect(await namesOf("a.tar.gz", gzipSync(tar))).toEqual(["dir/", "dir/a.txt", long, `${long}2`]);
    expect(await namesOf("a.tgz", gzipSync(tar))).toHaveLength(4);
  });

  it("passes over what it does not need", async () => {
    const source = sourceOf(
      joined(tarEntry("big.bin", new Uint8Array(1_000_000)), tarEntry("b", utf8("x")), ending),
    );
    const { entries } = await readArchive(source, "a.tar", signal);
    expect(entries.map(({ name }) => name)).toEqual(["big.bin", "b"]);
    expect(source.asked.reduce((sum, [begin, end]) => sum + end - begin, 0)).toBeLessThan(200_000);
  });

  it("of large files is listed as far as a few requests go, and says so", async () => {
    // With its header and up to the next block.
    const stride = 512 + 100_352;
    const bytes = new Uint8Array(50 * stride);
    for (let at = 0; at < 50; at += 1)
      bytes.set(tarEntry(`${at}.bin`, new Uint8Array(), { size: 100_000 }), at * stride);
    const source = sourceOf(bytes);
    const { stream, isOver } = streamOf(source, 10);
    expect((await readTar(stream)).entries.map(({ name }) => name)).toEqual(
      Array.from({ length: 10 }, (_, at) => `${at}.bin`),
    );
    expect(isOver()).toBe(true);
    expect(source.asked.slice(1).every(([begin, end]) => end - begin <= 4096)).toBe(true);
    expect((await listOf("a.tar", bytes)).entries).toHaveLength(50);
  });

  it("has names that fit a system", async () => {
    const name = utf8(`${"n".repeat(500_000)}\0`);
    const bytes = joined(tarEntry("././@LongLink", name, { type: "L" }), tarEntry("n", utf8("x")), ending);
    expect((await namesOf("a.tar", bytes)).map(({ length }) => length)).toEqual([4_096]);
  });

  it("of descriptions only has an end", async () => {
    const one = tarEntry("x", pax("comment", "y"), { type: "x" });
    const endless: ByteStream = {
      take: async (length) => (length === 512 ? one.subarray(0, 512) : one.subarray(512)),
      skip: async () => true,
    };
    expect(await readTar(endless)).toMatchObject({ entries: [], more: true });
  });

  it("packed and broken later is listed up to there", async () => {
    const packed = gzipSync(
      joined(
        tar.subarray(0, -1024),
        tarEntry("noise", crypto.getRandomValues(new Uint8Array(60_000))),
        ending,
      ),
      { level: 1 },
    );
    const { entries, note } = await listOf("a.tar.gz", packed.subarray(0, packed.length - 20_000));
    expect(entries.slice(0, 4).map(({ name }) => name)).toEqual(["dir/", "dir/a.txt", long, `${long}2`]);
    expect(note).toContain("不完整");
  });

  it("says where it breaks off", async () => {
    expect((await listOf("a.tar", tar.subarray(0, 2_000))).note).toContain("不完整");
    expect(
      (await listOf("a.tar", joined(tarEntry("a", utf8("x")), utf8("rubbish".repeat(100))))).note,
    ).toContain("不完整");
    const gone = tarEntry("huge", new Uint8Array(), { size: 2 ** 32 });
    expect((await listOf("a.tar", gone)).note).toContain("不完整");
  });

  it.each([
    ["a.tar", utf8("no archive at all ".repeat(100))],
    ["a.tar", tarEntry("x", new Uint8Array(), { type: "L", size: 2 ** 31 })],
    ["a.tar.gz", utf8("not packed")],
    ["a.tar.gz", gzipSync(utf8("no archive at all ".repeat(100)))],
    ["a.zip", utf8("PK\u0003\u0004 and then nothing")],
    ["a.zip", new Uint8Array()],
  ])("%s that is none is a fault", async (name, bytes) => {
    expect(await wordsOf(name, bytes)).toMatch(/损坏/);
  });

  it("names in GBK are read as such", async () => {
    const encoded = encode("实验数据.txt", "gb18030");
    if ("missing" in encoded) throw new Error("GBK has these");
    const entry = tarEntry("", utf8("x"));
    entry.set(encoded.bytes, 0);
    const header = entry.subarray(0, 512);
    header.set(utf8("        "), 148);
    header.set(
      utf8(
        `${header
          .reduce((all, byte) => all + byte, 0)
          .toString(8)
          .padStart(6, "0")}\0 `,
      ),
      148,
    );
    expect(await namesOf("a.tar", joined(entry, ending))).toEqual(["实验数据.txt"]);
  });
});

describe("a ZIP", () => {
  const zip = zipSync({ "results/run 1/a.json": utf8("{}".repeat(500)), "说明.txt": utf8("hi") });

  it("is listed by its directory, without being unpacked", async () => {
    const { entries } = await listOf("a.zip", zip);
    expect(entries).toMatchObject([
      { name: "results/run 1/a.json", size: 1000 },
      { name: "说明.txt", size: 2 },
    ]);
    const source = sourceOf(
      joined(zipSync({ "big.bin": [crypto.getRandomValues(new Uint8Array(60_000)), { level: 0 }] })),
    );
    await readArchive(source, "a.zip", signal);
    expect(Math.min(...source.asked.map(([begin]) => begin))).toBeGreaterThanOrEqual(0);
  });

  it("a directory beyond the file is a fault", async () => {
    const end = zip.slice();
    const view = new DataView(end.buffer);
    view.setUint32(end.length - 22 + 12, 0x7fffffff, true);
    view.setUint32(end.length - 22 + 16, 0x7fffff00, true);
    expect(await wordsOf("a.zip", end)).toMatch(/损坏/);
  });
});

describe("the folders of an archive", () => {
  const entry = (name: string, size = 1) => ({
    ...{ name, size, isDir: name.endsWith("/"), packed: null, modified: null, encrypted: false },
  });
  const entries = ["b.txt", "a/x/1.txt", "a\\y.txt", "./a/z.txt", "dir/", "../../etc/passwd"].map((name) =>
    entry(name),
  );

  it("are made of the paths, which lead nowhere", () => {
    const show = (folder: string[]) =>
      rowsIn(entries, folder).map(({ title, isDir }) => (isDir ? `${title}/` : title));
    expect(show([])).toEqual(["../", "a/", "dir/", "b.txt"]);
    expect(show(["a"])).toEqual(["x/", "y.txt", "z.txt"]);
    expect(show(["dir"])).toEqual([]);
    expect(rowsIn(entries, [])[1]?.size).toBe(3);
  });
});
