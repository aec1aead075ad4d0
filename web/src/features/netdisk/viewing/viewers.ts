// Which files have a view of their own, by their names. Texts among them can also be seen, and changed, as their source.
import type { Item } from "../api";
import { largestText } from "../editor/text-file";

export type ViewerName =
  | "markdown"
  | "notebook"
  | "csv"
  | "log"
  /** A text that is too large for the editor, from its beginning. */
  | "long"
  | "tensors"
  | "parquet"
  | "office"
  | "archive";

const byEnding: Readonly<Record<string, ViewerName>> = {
  md: "markdown",
  markdown: "markdown",
  ipynb: "notebook",
  csv: "csv",
  tsv: "csv",
  log: "log",
  out: "log",
  err: "log",
  safetensors: "tensors",
  npy: "tensors",
  npz: "tensors",
  pt: "tensors",
  pth: "tensors",
  ckpt: "tensors",
  gguf: "tensors",
  parquet: "parquet",
  docx: "office",
  xlsx: "office",
  zip: "archive",
  whl: "archive",
  jar: "archive",
  tar: "archive",
  tgz: "archive",
  gz: "archive",
};

/** Only these of what is packed in one stream are archives; `a.csv.gz` is one file. */
const packed = /\.tar\.gz$/i;

export const endingOf = (name: string) => {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
};

const viewed: readonly Item["type"][] = ["blob", "text", "textImmutable"];

export function viewerOf(file: Pick<Item, "name" | "type" | "isDir" | "size">): ViewerName | null {
  const { name, type, isDir, size } = file;
  if (isDir || !viewed.includes(type)) return null;
  const ending = endingOf(name);
  if (ending === "gz" && !packed.test(name)) return null;
  if (Object.hasOwn(byEnding, ending)) return byEnding[ending] ?? null;
  // The server takes texts above the editor's limit for any other file.
  return type === "blob" && size > largestText && texts.has(ending) ? "long" : null;
}

const texts = new Set(
  "txt json jsonl ndjson xml html sql yaml yml tex bib py c cpp h js ts sh srt vtt vcf sam".split(" "),
);

/** Views that are made of the whole text: of a larger one only the source can be downloaded. */
const mostBytes: Partial<Record<ViewerName, number>> = {
  markdown: 2 * 1024 * 1024,
  notebook: 100 * 1024 * 1024,
  office: 50 * 1024 * 1024,
};

export const isTooLarge = (viewer: ViewerName, size: number) =>
  size > (mostBytes[viewer] ?? Number.MAX_SAFE_INTEGER);
