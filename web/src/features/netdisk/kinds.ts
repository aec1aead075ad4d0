// Label and icon of a file: by the server's type, and by its extension where that matters.
import type { IconName } from "@/shared/theme/icon-shapes";
import type { Item } from "./api";

interface Kind {
  label: string;
  icon: IconName;
}

const code: Kind = { label: "代码", icon: "fileCode" };
const archive: Kind = { label: "压缩包", icon: "fileArchive" };
const weights: Kind = { label: "权重", icon: "file" };
const data: Kind = { label: "数据", icon: "dataset" };
const table: Kind = { label: "表格", icon: "dataset" };
const notebook: Kind = { label: "笔记本", icon: "fileCode" };
const document: Kind = { label: "文档", icon: "fileText" };
const slides: Kind = { label: "演示文稿", icon: "fileImage" };
const text: Kind = { label: "文本", icon: "fileText" };
const image: Kind = { label: "图片", icon: "fileImage" };
const video: Kind = { label: "视频", icon: "fileVideo" };
const audio: Kind = { label: "音频", icon: "fileAudio" };
const pdf: Kind = { label: "PDF", icon: "filePdf" };
const folder: Kind = { label: "文件夹", icon: "folder" };
const file: Kind = { label: "文件", icon: "file" };

const byExtension = new Map<string, Kind>([
  ...extensions(code, "py js ts tsx jsx c h cc cpp cu cuh rs go java sh lua m r jl sql html css"),
  ...extensions(code, "json yaml yml toml xml ini cfg"),
  ...extensions(archive, "zip tar gz tgz bz2 xz zst lz4 sz 7z rar"),
  ...extensions(notebook, "ipynb"),
  ...extensions(text, "txt md log jsonl"),
  ...extensions(table, "csv tsv xlsx xls ods"),
  ...extensions(document, "docx doc odt rtf"),
  ...extensions(slides, "pptx ppt odp"),
  ...extensions(image, "png jpg jpeg gif webp bmp tif tiff svg heic"),
  ...extensions(video, "mp4 mkv mov webm avi"),
  ...extensions(audio, "mp3 wav flac m4a aac ogg oga opus"),
  ...extensions(pdf, "pdf"),
  ...extensions(weights, "pth pt ckpt safetensors onnx pkl gguf"),
  ...extensions(data, "npz npy h5 hdf5 bin parquet"),
]);

function extensions(kind: Kind, names: string): [string, Kind][] {
  return names.split(" ").map((name) => [`.${name}`, kind]);
}

const byType: Record<Item["type"], Kind> = {
  "": folder,
  image,
  video,
  audio,
  pdf,
  text,
  textImmutable: text,
  blob: file,
  invalid_link: { label: "失效的链接", icon: "unlink" },
};

export function kindOf({ isDir, type, extension }: Pick<Item, "isDir" | "type" | "extension">): Kind {
  if (isDir) return folder;
  const vague = type === "blob" || type === "text" || type === "textImmutable";
  return (vague && byExtension.get(extension.toLowerCase())) || byType[type];
}

/** The icon of an entry of which only the name is known. */
export function iconOfName(name: string): IconName {
  const dot = name.lastIndexOf(".");
  return byExtension.get(dot < 0 ? "" : name.slice(dot).toLowerCase())?.icon ?? "file";
}
