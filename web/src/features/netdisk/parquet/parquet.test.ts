import { describe, expect, it } from "vitest";
import { ViewFault } from "../viewing/bytes";
import { fromBase64, joined, number, sourceOf, utf8 } from "../viewing/test-bytes";
import { asViewError } from "../viewing/useFileQuery";
import { cellText, readParquet } from "./read-parquet";
import { brotli, gzip, snappy, zstd } from "./test-files";

describe("Parquet", () => {
  it.each([
    ["SNAPPY", snappy],
    ["ZSTD", zstd],
    ["GZIP", gzip],
  ])("reads schema and rows packed as %s", async (codec, content) => {
    const { rows, columns, values, schema, codecs } = await readParquet(sourceOf(fromBase64(content)));
    expect([rows, codecs]).toEqual([3, [codec]]);
    expect(columns).toEqual([
      { name: "id", type: "int64" },
      { name: "名称", type: "string" },
      { name: "score", type: "double" },
      { name: "tags", type: "list" },
      { name: "raw", type: "byte_array" },
    ]);
    expect(values).toEqual([
      ["1", "甲", "0.5", '["a","b"]', "（2 字节）"],
      ["2", "乙", "", "[]", "ok"],
      ["3", "", "1.5", '["c"]', ""],
    ]);
    expect(schema.map(({ name }) => name)).toContain("tags.list.element");
  });

  it("shows the schema where it can't unpack the rows", async () => {
    const { columns, values, note } = await readParquet(sourceOf(fromBase64(brotli)));
    expect(columns).toHaveLength(5);
    expect(values).toEqual([]);
    expect(note).toContain("Brotli");
  });

  it.each([
    ["a short file", utf8("PAR1")],
    ["no mark at the end", utf8("PAR1 and then something else")],
    ["metadata beyond the file", joined(utf8("PAR1"), number(4_000_000_000, 4), utf8("PAR1"))],
    ["metadata that is none", joined(utf8("PAR1"), utf8("x".repeat(64)), number(64, 4), utf8("PAR1"))],
    ["an encrypted file", joined(utf8("PAR1"), number(4, 4), utf8("PARE"))],
  ])("%s is a fault", async (_what, bytes) => {
    const cause = asViewError(
      await readParquet(sourceOf(bytes)).then(
        () => null,
        (error: unknown) => error,
      ),
    );
    expect(cause).toBeInstanceOf(ViewFault);
  });

  it("one flipped byte anywhere is rows, a note or a fault, and never something else", async () => {
    const whole = fromBase64(snappy);
    for (let at = 0; at < whole.length; at += 3) {
      const bytes = whole.slice();
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      const answer = await readParquet(sourceOf(bytes)).then(
        ({ values }) => values,
        (error: unknown) => asViewError(error),
      );
      expect(Array.isArray(answer) || answer instanceof ViewFault).toBe(true);
    }
  });

  it.each([
    [new Date("2026-01-02T03:04:05Z"), "2026-01-02 03:04:05"],
    [new Date(Number.NaN), ""],
    [12345678901234567890n, "12345678901234567890"],
    [{ a: 1n, b: [null] }, '{"a":1,"b":[null]}'],
    [undefined, ""],
  ])("%s as a cell", (value, words) => expect(cellText(value)).toBe(words));
});
