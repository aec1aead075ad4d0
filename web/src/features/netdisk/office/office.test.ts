import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { ViewFault } from "../viewing/bytes";
import { sourceOf, utf8 } from "../viewing/test-bytes";
import { asViewError } from "../viewing/useFileQuery";
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

  it("cells and columns are named as in Excel", () => {
    expect([0, 25, 26, 701, 702].map(columnName)).toEqual(["A", "Z", "AA", "ZZ", "AAA"]);
    expect(cellText(new Date("2026-11-20T00:00:00Z"))).toBe("2026-11-20");
    expect(cellText(new Date("2026-11-20T08:30:00Z"))).toBe("2026-11-20 08:30:00");
    expect(cellText(true)).toBe("true");
  });
});
