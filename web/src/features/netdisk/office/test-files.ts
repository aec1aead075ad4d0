// For tests: the least that Word and Excel open.
import { zipSync } from "fflate";

const head = '<?xml version="1.0" encoding="UTF-8"?>';
const office = "http://schemas.openxmlformats.org";
const relation = `${office}/officeDocument/2006/relationships`;
const text = (content: string) => new TextEncoder().encode(content);

const types = (parts: Record<string, string>) =>
  `${head}<Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${Object.entries(
    parts,
  )
    .map(
      ([name, type]) =>
        `<Override PartName="${name}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
    )
    .join("")}</Types>`;

const relations = (targets: Record<string, string>) =>
  `${head}<Relationships xmlns="${office}/package/2006/relationships">${Object.entries(targets)
    .map(
      ([target, type], at) =>
        `<Relationship Id="rId${at + 1}" Type="${relation}/${type}" Target="${target}"/>`,
    )
    .join("")}</Relationships>`;

/** `body`: paragraphs and tables in Word's own words. */
export const documentOf = (body: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    zipSync({
      "[Content_Types].xml": text(types({ "/word/document.xml": "wordprocessingml.document.main" })),
      "_rels/.rels": text(relations({ "word/document.xml": "officeDocument" })),
      "word/document.xml": text(
        `${head}<w:document xmlns:w="${office}/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
      ),
    }),
  );

type Rows = readonly (readonly (string | number)[])[];

function sheetOf(rows: Rows): string {
  const cell = (value: string | number, name: string) =>
    typeof value === "number"
      ? `<c r="${name}"><v>${value}</v></c>`
      : `<c r="${name}" t="inlineStr"><is><t>${value}</t></is></c>`;
  const lines = rows.map(
    (row, at) =>
      `<row r="${at + 1}">${row.map((value, column) => cell(value, `${String.fromCharCode(65 + column)}${at + 1}`)).join("")}</row>`,
  );
  return `${head}<worksheet xmlns="${office}/spreadsheetml/2006/main"><sheetData>${lines.join("")}</sheetData></worksheet>`;
}

export function workbookOf(sheets: Readonly<Record<string, Rows>>): Uint8Array<ArrayBuffer> {
  const names = Object.keys(sheets);
  const paths = names.map((_, at) => `worksheets/sheet${at + 1}.xml`);
  const listed = names
    .map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
    .join("");
  return Uint8Array.from(
    zipSync({
      "[Content_Types].xml": text(
        types({
          "/xl/workbook.xml": "spreadsheetml.sheet.main",
          ...Object.fromEntries(paths.map((path) => [`/xl/${path}`, "spreadsheetml.worksheet"])),
        }),
      ),
      "_rels/.rels": text(relations({ "xl/workbook.xml": "officeDocument" })),
      "xl/workbook.xml": text(
        `${head}<workbook xmlns="${office}/spreadsheetml/2006/main" xmlns:r="${relation}"><sheets>${listed}</sheets></workbook>`,
      ),
      "xl/_rels/workbook.xml.rels": text(
        relations(Object.fromEntries(paths.map((path) => [path, "worksheet"]))),
      ),
      ...Object.fromEntries(
        Object.values(sheets).map((rows, at) => [`xl/${paths[at] ?? ""}`, text(sheetOf(rows))]),
      ),
    }),
  );
}
