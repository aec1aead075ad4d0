// The list of what is in an archive, without unpacking it: a ZIP by its directory at the end, a TAR by its headers, a
// packed TAR as it comes, to a limit.
import { formatSize } from "@/shared/lib/numbers";
import type { ByteSource } from "../viewing/bytes";
import { mostEntries as mostZipped, openZip } from "../viewing/zip-file";
import type { ArchiveList } from "./entry";
import { mostEntries, readTar, streamOf, type TarList, unpackedStream } from "./tar";

/** Limits of a packed stream: bytes that are read, and bytes that they unpack to. */
const mostPacked = 256 * 1024 * 1024;
const mostUnpacked = 2 * 1024 * 1024 * 1024;

const pieceSize = 1024 * 1024;

export async function readArchive(
  source: ByteSource,
  name: string,
  signal: AbortSignal,
): Promise<ArchiveList> {
  if (/\.(tar\.gz|tgz)$/i.test(name))
    return readPacked(source, "TAR.GZ", gunzip(packedStream(source, signal)));
  if (/\.tar$/i.test(name)) {
    const { stream, isOver } = streamOf(source);
    const list = await readTar(stream);
    return { format: "TAR", entries: list.entries, note: noteOf(list, isOver() ? source.size : null) };
  }
  const { entries, more } = await openZip(source);
  const note = more ? `内容很多，只列出前 ${mostZipped.toLocaleString("zh-CN")} 项` : "";
  return { format: "ZIP", entries, note };
}

/** `size`: of an archive whose rest was not looked at. */
function noteOf({ more, cut }: Pick<TarList, "more" | "cut">, size: number | null): string {
  if (size !== null) return `压缩包有 ${formatSize(size)}，只列出开头部分的内容`;
  if (more) return `内容很多，只列出前 ${mostEntries.toLocaleString("zh-CN")} 项`;
  return cut ? "压缩包不完整，后面的内容无法读取" : "";
}

async function readPacked(
  source: ByteSource,
  format: string,
  unpacked: ReadableStream<Uint8Array>,
): Promise<ArchiveList> {
  const reader = unpacked.getReader();
  const { stream, isOver, isBroken } = unpackedStream(reader, mostUnpacked);
  try {
    const { entries, more, cut } = await readTar(stream);
    const list = { more, cut: cut || isBroken() };
    const limited = isOver() || (list.cut && source.size > mostPacked);
    return { format, entries, note: noteOf(list, limited ? source.size : null) };
  } finally {
    // Nothing more is fetched.
    await reader.cancel().catch(() => {});
  }
}

/** The packed bytes, piece by piece as they are needed. */
function packedStream(source: ByteSource, signal: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  const end = Math.min(source.size, mostPacked);
  return new ReadableStream(
    {
      async pull(controller) {
        if (at >= end || signal.aborted) {
          controller.close();
          return;
        }
        const next = Math.min(end, at + pieceSize);
        controller.enqueue(await source.read(at, next));
        at = next;
      },
    },
    { highWaterMark: 1 },
  );
}

const gunzip = (packed: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array> =>
  packed.pipeThrough(new DecompressionStream("gzip"));
