import { unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { ViewFault } from "../viewing/bytes";
import { sourceOf, utf8 } from "../viewing/test-bytes";
import { asViewError } from "../viewing/useFileQuery";
import { checkExtent } from "./extent";
import { cellText, readOffice } from "./read-office";
import { columnName } from "./SheetDesk";
import { documentOf, workbookOf } from "./test-files";

const read = (bytes: Uint8Array, kind: string) => readOffice(sourceOf(bytes), kind);
const wordsOf = async (bytes: Uint8Array, kind: string) => {
  const cause = asViewError(
    await read(bytes, kind).then(
      () => null,
      (error: unknown) => error,
    ),
  );
  if (!(cause instanceof ViewFault)) throw cause;
  return cause.message;
};

describe("Word and Excel", () => {
  it("a document becomes text", async () => {
    const body =
      '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>开题报告</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>R50</w:t></w:r></w:p></w:tc></w:tr></w:tbl>';
    const office = await read(documentOf(body), "docx");
    expect(office).toEqual({
      kind: "text",
      html: "<h1>开题报告</h1><table><tr><td><p>R50</p></td></tr></table>",
    });
  });

  it("a workbook becomes tables", async () => {
    const office = await read(
      workbookOf({
        指标: [
          ["模型", "mAP"],
          ["R50", 41.2],
        ],
        空的: [],
      }),
      "xlsx",
    );
    expect(office).toMatchObject({
      kind: "sheets",
      sheets: [
        {
          name: "指标",
          total: 2,
          columns: 2,
          rows: [
            ["模型", "mAP"],
            ["R50", "41.2"],
          ],
        },
        { name: "空的", total: 0 },
      ],
    });
  });

  it.each([
    ["no ZIP", utf8("plain text"), "docx"],
    ["another ZIP", zipSync({ "a.txt": utf8("x") }), "xlsx"],
    ["a document under the name of a workbook", documentOf(""), "xlsx"],
    [
      "broken XML",
      zipSync({ "word/document.xml": utf8("<w:document>"), "[Content_Types].xml": utf8("<") }),
      "docx",
    ],
    ["a workbook without sheets", zipSync({ "xl/workbook.xml": utf8("<workbook/>") }), "xlsx"],
  ])("%s is a fault", async (_what, bytes, kind) => {
    expect(await wordsOf(bytes, kind)).toMatch(/损坏/);
  });

  it("what would unpack to too much is not begun", async () => {
    const bytes = zipSync({ "word/document.xml": utf8("x".repeat(1000)) });
    const view = new DataView(bytes.buffer);
    // The size that the directory gives: the last header before the end.
    for (let at = bytes.length - 22; at > 0; at -= 1)
      if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 0x7fffffff, true);
    expect(await wordsOf(bytes, "docx")).toMatch(/太大|损坏/);
  });

  it("what unpacks to more than the directory says is not given to a library", async () => {
    const files = { ...unzipSync(documentOf("")), "word/media/a.bin": new Uint8Array(20_000) };
    const bytes = zipSync(files);
    expect(await readOffice(sourceOf(bytes), "docx")).toMatchObject({ kind: "text" });
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < bytes.length - 46; at += 1)
      if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 1, true);
    await expect(readOffice(sourceOf(bytes), "docx", 10_000)).rejects.toThrow(/太大|损坏/);
  });

  it("one cell in the last corner does not become a full sheet", async () => {
    const files = unzipSync(workbookOf({ 表: [["a"]] }));
    const sheet = (cell: string) =>
      utf8(`<worksheet><sheetData><row><c r="A1"><v>1</v></c></row>${cell}</sheetData></worksheet>`);
    const far = zipSync({
      ...files,
      "xl/worksheets/sheet1.xml": sheet('<row r="1048576"><c r="XFD1048576"/></row>'),
    });
    expect(await wordsOf(far, "xlsx")).toBe("工作表的范围太大，请下载后查看");
  });

  it.each([
    ["a few cells", '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="AB1"/></row>', ""],
    ["a million rows of a few columns", '<row r="1048576"><c r="C1048576"/></row>', ""],
    ["the last corner", '<row r="1"><c r="XFD1"/></row><row r="1048576"/>', "太大"],
    ["rows and cells without numbers", `<row>${"<c/>".repeat(5_000)}</row>${"<row/>".repeat(5_000)}`, "太大"],
    ["a place in another writing", '<row r="1"><c r="&#88;FD1"/></row>', "位置"],
    ["a place behind another one", `<row r="1"><c t=" r='A1' " r='XFD1'/></row><row r="1048576"/>`, "太大"],
    ["a place that is hidden", '<row r="1"><c t="a<b" r="XFD1048576"/></row>', "写法"],
    ["a row beyond all", '<row r="99999999999"/>', "位置"],
  ])("%s", (_what, xml, words) => {
    const check = () => checkExtent(`<sheetData>${xml}</sheetData>`);
    if (words === "") expect(check).not.toThrow();
    else expect(check).toThrow(words);
  });

  it("cells of other parts do not count", () => {
    const chain = Array.from({ length: 10_000 }, (_, at) => `<c r="A${at + 1}" i="1"/>`).join("");
    expect(() => checkExtent(`<calcChain>${chain}</calcChain>`)).not.toThrow();
  });

  it("cells and columns are named as in Excel", () => {
    expect([0, 25, 26, 701, 702].map(columnName)).toEqual(["A", "Z", "AA", "ZZ", "AAA"]);
    expect(cellText(new Date("2026-11-20T00:00:00Z"))).toBe("2026-11-20");
    expect(cellText(new Date("2026-11-20T08:30:00Z"))).toBe("2026-11-20 08:30:00");
    expect(cellText(true)).toBe("true");
  });
});
