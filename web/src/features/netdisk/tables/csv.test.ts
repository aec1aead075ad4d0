import { describe, expect, it } from "vitest";
import { encode } from "../editor/encodings";
import { sourceOf, utf8 } from "../viewing/test-bytes";
import { CsvFile, groupSize } from "./csv-file";
import { formatOf, hasHead } from "./csv-format";
import { cellsOf, longestRow, mostColumns, RowScanner } from "./row-scanner";

const comma = { delimiter: 0x2c, newline: 0x0a, unit: 1, littleEndian: true } as const;

function rowsOf(text: string, format = comma) {
  const ends: number[] = [];
  const scanner = new RowScanner(format);
  const bytes = utf8(text);
  // Piece by piece, so that nothing depends on where a piece ends.
  for (let at = 0; at < bytes.length; at += 3)
    scanner.feed(bytes.subarray(at, at + 3), (end) => ends.push(end));
  scanner.end((end) => ends.push(end));
  return { rows: ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end)), scanner };
}

describe("the ends of rows", () => {
  it.each([
    ["a,b\nc,d\n", ["a,b\n", "c,d\n"]],
    ["a,b\r\nc,d", ["a,b\r\n", "c,d"]],
    ['a,"x\ny"\nc,d', ['a,"x\ny"\n', "c,d"]],
    ['a,"x ""\n"" y"\nc', ['a,"x ""\n"" y"\n', "c"]],
    ['5" disk,3\nc,d', ['5" disk,3\n', "c,d"]],
    ["\n\n", ["\n", "\n"]],
    ["", []],
  ])("%j", (text, rows) => expect(rowsOf(text).rows).toEqual(rows));

  it("quotes that are never closed do not swallow the file", () => {
    const text = `a,"open\n${"row,1\n".repeat(longestRow / 3)}`;
    const { rows, scanner } = rowsOf(text);
    expect(scanner.irregular).toBe(true);
    expect(rows[0]).toBe('a,"open\n');
    expect(rows[1]).toBe("row,1\n");
    expect(rows.join("").length).toBe(text.length);
  });

  it("a row without an end is cut", () => {
    const { rows, scanner } = rowsOf("x".repeat(longestRow * 2 + 5));
    expect(rows.map(({ length }) => length)).toEqual([longestRow, longestRow, 5]);
    expect(scanner.irregular).toBe(true);
  });
});

describe("cells", () => {
  it.each([
    ["a,b,c", ["a", "b", "c"]],
    ["a,,", ["a", "", ""]],
    ['"a,1",b\r\n', ["a,1", "b"]],
    ['"a ""x""",b', ['a "x"', "b"]],
    ['"a"tail,b', ["atail", "b"]],
    ['"open,b', ['"open', "b"]],
    ['"",x', ["", "x"]],
    ["", [""]],
  ])("%j", (row, cells) => expect(cellsOf(row, ",")).toEqual(cells));
});

it("a row of more cells than a spreadsheet has is cut", () => {
  expect(cellsOf(",".repeat(1_000_000), ",")).toHaveLength(mostColumns + 1);
  expect(cellsOf(`${'"a",'.repeat(1_000_000)}b`, ",")).toHaveLength(mostColumns + 1);
});

describe("what a file is made of", () => {
  it.each([
    ["a,b\n1,2\n", ","],
    ["a\tb\n1,5\t2\n", "\t"],
    ["a;b\n1,5;2\n", ";"],
    ["a|b\n1|2\n", "|"],
    ["姓名\n张敏\n", ","],
  ])("%j", (text, delimiter) => expect(formatOf(utf8(text), true).delimiter).toBe(delimiter));

  it("knows GBK, also where the sample ends within a character", () => {
    const encoded = encode("姓名,成绩\n张敏,95\n李雷,88\n", "gb18030");
    if ("missing" in encoded) throw new Error("GBK has these");
    expect(formatOf(encoded.bytes.slice(0, -4), false).encoding).toBe("gb18030");
    expect(formatOf(utf8("姓名,成绩\n张敏,95\n李雷").slice(0, -1), false).encoding).toBe("utf-8");
  });

  it("names of columns are no numbers", () => {
    expect(
      hasHead([
        ["epoch", "loss"],
        ["1", "0.5"],
      ]),
    ).toBe(true);
    expect(
      hasHead([
        ["1", "0.5"],
        ["2", "0.4"],
      ]),
    ).toBe(false);
    expect(
      hasHead([
        ["a", "a"],
        ["2", "0.4"],
      ]),
    ).toBe(false);
  });
});

describe("a file", () => {
  it("reads only what is looked at, and every row in the end", async () => {
    const lines = Array.from({ length: 60_000 }, (_, index) => `${index},"第 ${index} 行\n续"`);
    const bytes = utf8(`id,text\n${lines.join("\n")}\n`);
    const source = sourceOf(bytes);
    const file = await CsvFile.open(source);
    expect(file.head).toBe(true);
    expect(file.complete).toBe(false);
    expect(source.asked.every(([begin, end]) => end - begin <= 1024 * 1024)).toBe(true);
    await file.scan(Number.POSITIVE_INFINITY);
    expect(file.rows).toBe(60_001);
    const middle = await file.group(300);
    expect(middle).toHaveLength(groupSize);
    expect(middle[0]).toEqual(["29999", "第 29999 行\n续"]);
    expect((await file.group(600))[0]).toEqual(["59999", "第 59999 行\n续"]);
    expect(file.irregular).toBe(false);
  });

  it("reads UTF-16 with quotes and line breaks", async () => {
    const encoded = encode('名称,说明\n甲,"一\n二"\n', "utf-16le");
    if ("missing" in encoded) throw new Error("UTF-16 has all");
    const file = await CsvFile.open(sourceOf(encoded.bytes));
    expect(file.format.encoding).toBe("utf-16le");
    expect(await file.group(0)).toEqual([
      ["名称", "说明"],
      ["甲", "一\n二"],
    ]);
  });

  it("an empty file has no rows", async () => {
    const file = await CsvFile.open(sourceOf(new Uint8Array()));
    expect([file.rows, file.complete]).toEqual([0, true]);
  });

  it("is stopped by whoever looks on", async () => {
    const file = await CsvFile.open(sourceOf(utf8("a,b\n".repeat(900_000))));
    await file.scan(Number.POSITIVE_INFINITY, () => false);
    expect(file.complete).toBe(false);
  });
});
