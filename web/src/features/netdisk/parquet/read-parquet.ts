// The schema of a Parquet file and its first rows: of the first row group only what is needed for them is read.
import { gunzipSync } from "fflate";
import { decompress } from "fzstd";
import {
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type SchemaTree,
  snappyUncompress,
} from "hyparquet";
import { type ByteSource, ViewFault } from "../viewing/bytes";

export interface ParquetColumn {
  name: string;
  type: string;
}

export interface ParquetFile {
  rows: number;
  groups: number;
  writer: string;
  codecs: string[];
  /** All of the schema, nested ones with dots. */
  schema: (ParquetColumn & { note: string })[];
  /** Columns of the rows below. */
  columns: ParquetColumn[];
  values: string[][];
  /** What is left out. */
  note: string;
}

/** Of metadata, of one page, and of all columns of the rows together. */
const largestMetadata = 64 * 1024 * 1024;
const largestPage = 256 * 1024 * 1024;
const mostRead = 64 * 1024 * 1024;

const rowsShown = 200;
const mostColumns = 500;
const longestCell = 500;

const bounded =
  (unpack: (input: Uint8Array, length: number) => Uint8Array) => (input: Uint8Array, length: number) => {
    if (!(length >= 0 && length <= largestPage)) throw new ViewFault("文件里的数据块太大，请下载后查看");
    return unpack(input, length);
  };

const refused = (name: string) => () => {
  throw new ViewFault(`暂不支持 ${name} 压缩，请下载后查看`);
};

const compressors: Compressors = {
  SNAPPY: bounded((input, length) => {
    const page = new Uint8Array(length);
    snappyUncompress(input, page);
    return page;
  }),
  GZIP: bounded((input, length) => gunzipSync(input, { out: new Uint8Array(length) })),
  ZSTD: bounded((input, length) => decompress(input, new Uint8Array(length))),
  BROTLI: refused("Brotli"),
  LZ4: refused("LZ4"),
  LZ4_RAW: refused("LZ4"),
  LZO: refused("LZO"),
};

function typeOf({ element: { type, logical_type: logical, converted_type: converted } }: SchemaTree): string {
  const inner = logical?.type ?? converted ?? type ?? "struct";
  return inner.toLowerCase();
}

function flat(trees: readonly SchemaTree[], rows: ParquetFile["schema"] = []): ParquetFile["schema"] {
  for (const tree of trees) {
    if (rows.length >= mostColumns * 4) return rows;
    const { repetition_type: repetition } = tree.element;
    rows.push({
      name: tree.path.join("."),
      type: typeOf(tree),
      note: repetition === "OPTIONAL" ? "可为空" : repetition === "REPEATED" ? "重复" : "必填",
    });
    flat(tree.children, rows);
  }
  return rows;
}

/** The first columns, as far as what has to be read for them goes. */
function columnsWithin({ row_groups: [group] }: FileMetaData, top: readonly SchemaTree[]): SchemaTree[] {
  const cost = new Map<string, number>();
  for (const { meta_data: meta } of group?.columns ?? []) {
    const name = meta?.path_in_schema[0] ?? "";
    cost.set(name, (cost.get(name) ?? 0) + Number(meta?.total_compressed_size ?? 0));
  }
  const chosen: SchemaTree[] = [];
  let left = mostRead;
  for (const tree of top.slice(0, mostColumns)) {
    left -= cost.get(tree.element.name) ?? 0;
    if (left < 0 && chosen.length > 0) break;
    chosen.push(tree);
    if (left < 0) break;
  }
  return chosen;
}

export async function readParquet(source: ByteSource): Promise<ParquetFile> {
  const file = {
    byteLength: source.size,
    slice(start: number, end = source.size) {
      const part = partOf(source, start, end);
      // The library fetches some before it looks at them: a failed one is noticed then.
      part.catch(() => {});
      return part;
    },
  };
  await checkEnd(source);
  const metadata = await parquetMetadataAsync(file);
  const top = parquetSchema(metadata).children;
  const rows = Number(metadata.num_rows);
  const chosen = columnsWithin(metadata, top);
  const columns = chosen.map((tree) => ({ name: tree.element.name, type: typeOf(tree) }));
  const count = Math.min(rows, rowsShown, Number(metadata.row_groups[0]?.num_rows ?? 0));
  const read = {
    ...{ file, metadata, compressors, columns: columns.map(({ name }) => name) },
    ...{ rowStart: 0, rowEnd: count, useOffsetIndex: true, utf8: false },
  };
  let fault = "";
  const objects =
    count > 0 && columns.length > 0
      ? await parquetReadObjects(read).catch((cause: unknown) => {
          // The schema can be read all the same.
          fault = cause instanceof ViewFault ? cause.message : "数据读取失败，文件可能已损坏";
          return [];
        })
      : [];
  const codecs = metadata.row_groups
    .slice(0, 8)
    .flatMap((group) => group.columns.map((column) => column.meta_data?.codec));
  const cut = [
    ...(count < rows ? [`前 ${count} 行，共 ${rows.toLocaleString("zh-CN")} 行`] : []),
    ...(chosen.length < top.length ? [`前 ${chosen.length} 列，共 ${top.length} 列`] : []),
  ];
  return {
    rows,
    groups: metadata.row_groups.length,
    writer: metadata.created_by ?? "",
    codecs: Array.from(new Set(codecs.filter((codec) => codec !== undefined))),
    schema: flat(top),
    columns,
    values: objects.map((row) => columns.map(({ name }) => cellText(row[name]))),
    note: fault || (cut.length > 0 ? `只显示${cut.join("；")}` : ""),
  };
}

async function partOf(source: ByteSource, start: number, end: number): Promise<ArrayBuffer> {
  if (!(start >= 0 && end <= source.size && start <= end))
    throw new ViewFault("文件已损坏：部分内容超出文件范围");
  if (end - start > largestPage) throw new ViewFault("文件里的数据块太大，请下载后查看");
  const bytes = start === end ? new Uint8Array() : await source.read(start, end);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}

/** The library would read as much as the last bytes say. */
async function checkEnd(source: ByteSource) {
  if (source.size < 12) throw new ViewFault("文件已损坏，或不是 Parquet");
  const end = await source.read(source.size - 8, source.size);
  const view = new DataView(end.buffer, end.byteOffset, end.byteLength);
  const mark = String.fromCharCode(...end.subarray(4));
  if (mark === "PARE") throw new ViewFault("文件已加密，暂不支持在线查看");
  if (mark !== "PAR1" || view.getUint32(0, true) > source.size - 8)
    throw new ViewFault("文件已损坏，或不是 Parquet");
  if (view.getUint32(0, true) > largestMetadata) throw new ViewFault("文件头太大，请下载后查看");
}

export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value.slice(0, longestCell);
  if (value instanceof Date) return timeText(value);
  if (value instanceof Uint8Array) return bytesText(value);
  if (typeof value !== "object") return String(value);
  const plain = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === "bigint") return Number.isSafeInteger(Number(part)) ? Number(part) : String(part);
    return part instanceof Uint8Array ? bytesText(part) : part;
  });
  return plain.slice(0, longestCell);
}

/** Without a zone, as most writers mean it. */
const timeText = (time: Date) =>
  Number.isFinite(time.getTime())
    ? time
        .toISOString()
        .replace("T", " ")
        .replace(/(\.000)?Z$/, "")
    : "";

/** Writers often leave out that bytes are text. */
function bytesText(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, 4 * longestCell));
    if (!/[\p{Cc}]/u.test(text.replace(/[\n\r\t]/g, ""))) return text.slice(0, longestCell);
  } catch {
    // No text.
  }
  return `（${bytes.length} 字节）`;
}
