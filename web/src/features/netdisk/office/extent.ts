// How far a sheet reaches. Its reader fills all rows and columns up to the last one that is named, so that one cell in the
// last corner of Excel would become seventeen thousand million. Pure.
import { broken, ViewFault } from "../viewing/bytes";

/** Cells of a sheet, empty ones too. */
const mostCells = 20_000_000;

/** Every beginning of a row or a cell … */
const beginning = /<(?:[\w.-]+:)?(?:row|c)(?=[\s/>])/g;
/** … and those that are written as XML has it. */
const tag = /<(?:[\w.-]+:)?(row|c)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>/g;
const attribute = /\s+([\w:.-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;

/** Fails where a sheet would have more cells than a browser holds. */
export function checkExtent(xml: string) {
  // Other parts of a workbook have cells too, such as the order in which they are computed.
  if (!xml.includes("sheetData")) return;
  let [rows, columns, cells, tags, lastRow, lastColumn] = [0, 0, 0, 0, 0, 0];
  for (const [, name, attributes = ""] of xml.matchAll(tag)) {
    tags += 1;
    if (name === "row") {
      rows += 1;
      cells = 0;
    } else {
      cells += 1;
      columns = Math.max(columns, cells);
    }
    const { row, column } = placeIn(attributes);
    lastRow = Math.max(lastRow, row);
    lastColumn = Math.max(lastColumn, column);
  }
  // What is not seen here might be seen by the reader.
  if (tags !== (xml.match(beginning)?.length ?? 0)) throw broken("工作表的写法");
  if (Math.max(rows, lastRow) * Math.max(columns, lastColumn, 1) > mostCells)
    throw new ViewFault("工作表的范围太大，请下载后查看");
}

/** The place that is named in `r`: `12` of a row, `AB12` of a cell. */
function placeIn(attributes: string): { row: number; column: number } {
  let [row, column] = [0, 0];
  for (const [, name, double, single] of attributes.matchAll(attribute)) {
    if (name !== "r") continue;
    const found = /^([A-Z]{0,3})(\d{1,7})$/.exec(double ?? single ?? "");
    if (!found) throw broken("单元格的位置");
    row = Math.max(row, Number(found[2]));
    column = Math.max(column, columnNumber(found[1] ?? ""));
  }
  return { row, column };
}

const columnNumber = (letters: string) =>
  Array.from(letters).reduce((number, letter) => 26 * number + letter.charCodeAt(0) - 64, 0);
