// A file on the disk as bytes by position: each request is signed and asks for one range. A file that is changed while
// it is viewed would be put together of two versions, so that is noticed.
import { askDiskAnswer, diskClient } from "@/shared/api/disk-client";
import type { Resource } from "../api";
import { type ByteSource, ViewFault } from "./bytes";

export const changedWords = "文件在查看时被修改，请重新打开";

export function diskSource(
  host: string,
  { path, size }: Pick<Resource, "path" | "size">,
  signal?: AbortSignal,
): ByteSource {
  let version: string | null = null;
  return {
    size,
    async read(begin, end) {
      // No range has no bytes.
      if (begin === end) return new Uint8Array();
      const { bytes, etag } = await readRange(host, path, { begin, end }, signal);
      version ??= etag;
      if (version !== etag || bytes.length !== end - begin) throw new ViewFault(changedWords);
      return bytes;
    },
  };
}

interface Range {
  begin: number;
  end: number;
}

/** One range of a file, as it is now; its size then is `total`. */
export async function readRange(host: string, path: string, { begin, end }: Range, signal?: AbortSignal) {
  const { data, headers } = await askDiskAnswer(
    diskClient(host).GET("/api/raw/{path}", {
      params: { path: { path }, query: { inline: true }, header: { Range: `bytes=${begin}-${end - 1}` } },
      parseAs: "arrayBuffer",
      // A part that the browser kept may be one of another version.
      cache: "no-store",
      ...(signal && { signal }),
    }),
  );
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get("content-range") ?? "");
  // Something between that leaves ranges out would send all of it with every request.
  if (!range || Number(range[1]) !== begin) throw new ViewFault("服务器不支持分段读取，请下载后查看");
  return { bytes: new Uint8Array(data), etag: headers.get("etag") ?? "", total: Number(range[3]) };
}
