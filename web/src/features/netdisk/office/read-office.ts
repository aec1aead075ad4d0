// Word and Excel files of the present formats, as text and as tables. Both are ZIPs, which are looked through first: the
// libraries would unpack whatever there is, and fill all rows and columns up to the last one that is named.
import mammoth from "mammoth";
import readXlsxFile from "read-excel-file/web-worker";
import { type ByteSource, decodeUtf8, ViewFault } from "../viewing/bytes";
import { openZip, readEntry } from "../viewing/zip-file";
import { checkExtent } from "./extent";

export interface Sheet {
  name: string;
  rows: string[][];
  /** How many rows and columns it has. */
  total: number;
  columns: number;
}

export type OfficeFile = { kind: "text"; html: string } | { kind: "sheets"; sheets: Sheet[] };

const mostUnpacked = 400 * 1024 * 1024;
const mostSheets = 100;
const mostRows = 50_000;
const mostColumns = 500;
const longestCell = 500;
/** Excel allows half of it. */
const longestName = 64;

const tooLarge = () => new ViewFault("文件解开后太大，请下载后查看");

/** `question` is the kind of file. */
export async function readOffice(
  source: ByteSource,
  question: unknown,
  most = mostUnpacked,
): Promise<OfficeFile> {
  const other = new ViewFault(
    question === "docx" ? "文件不是 Word 文档，或已损坏" : "文件不是 Excel 工作簿，或已损坏",
  );
  // To its reader a document is no archive.
  const asOther = (cause: unknown): never => {
    throw cause instanceof ViewFault ? other : cause;
  };
  const { entries, more } = await openZip(source).catch(asOther);
  const has = (name: string) => entries.some((entry) => entry.name === name);
  const isText = question === "docx" && has("word/document.xml");
  if (!isText && !(question === "xlsx" && has("xl/workbook.xml"))) throw other;
  if (more || entries.reduce((sum, { size }) => sum + size, 0) > most) throw tooLarge();
  // The sizes of the directory may be lies.
  let left = most;
  for (const entry of entries) {
    const bytes = await readEntry(entry, left + 1).catch(asOther);
    left -= bytes.length;
    if (left < 0) throw tooLarge();
    if (!isText && /\.xml$/i.test(entry.name)) checkExtent(decodeUtf8(bytes));
  }
  const content = await wholeOf(source);
  return isText ? readText(content) : readSheets(content);
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
    sheets: sheets.slice(0, mostSheets).map(({ sheet, data }) => ({
      name: sheet.slice(0, longestName),
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
