// Word and Excel files of the present formats, as text and as tables. Both are ZIPs, whose directory is looked at first:
// what would unpack to more than a browser holds is not begun.
import mammoth from "mammoth";
import readXlsxFile from "read-excel-file/web-worker";
import { type ByteSource, ViewFault } from "../viewing/bytes";
import { openZip } from "../viewing/zip-file";

export interface Sheet {
  name: string;
  rows: string[][];
  /** How many rows and columns it has. */
  total: number;
  columns: number;
}

export type OfficeFile = { kind: "text"; html: string } | { kind: "sheets"; sheets: Sheet[] };

const mostUnpacked = 400 * 1024 * 1024;
const mostRows = 50_000;
const mostColumns = 500;
const longestCell = 500;

/** `question` is the kind of file. */
export async function readOffice(source: ByteSource, question: unknown): Promise<OfficeFile> {
  const other = new ViewFault(
    question === "docx" ? "文件不是 Word 文档，或已损坏" : "文件不是 Excel 工作簿，或已损坏",
  );
  const { entries } = await openZip(source).catch((cause: unknown) => {
    // To its reader a document is no archive.
    throw cause instanceof ViewFault ? other : cause;
  });
  const size = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (size > mostUnpacked) throw new ViewFault("文件解开后太大，请下载后查看");
  const has = (name: string) => entries.some((entry) => entry.name === name);
  if (question === "docx" && has("word/document.xml")) return readText(await wholeOf(source));
  if (question === "xlsx" && has("xl/workbook.xml")) return readSheets(await wholeOf(source));
  throw other;
}

const wholeOf = async (source: ByteSource): Promise<ArrayBuffer> => {
  const bytes = await source.read(0, source.size);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
};

async function readText(arrayBuffer: ArrayBuffer): Promise<OfficeFile> {
  // Outside of browsers the library takes it by the other name.
  const input = { arrayBuffer, buffer: arrayBuffer };
  const { value } = await mammoth.convertToHtml(input);
  return { kind: "text", html: value };
}

async function readSheets(content: ArrayBuffer): Promise<OfficeFile> {
  const sheets = await readXlsxFile(content);
  return {
    kind: "sheets",
    sheets: sheets.map(({ sheet, data }) => ({
      name: sheet,
      total: data.length,
      columns: data.reduce((most, row) => Math.max(most, row.length), 0),
      rows: data.slice(0, mostRows).map((row) => row.slice(0, mostColumns).map(cellText)),
    })),
  };
}

/** Dates have no zone in a workbook: as they stand there. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) {
    const [day = "", time = ""] = value.toISOString().slice(0, 19).split("T");
    return time === "00:00:00" ? day : `${day} ${time}`;
  }
  return String(value).slice(0, longestCell);
}
