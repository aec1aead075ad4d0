// A text file's bytes with the mark of their version, from and to the storage host.
import { queryOptions } from "@tanstack/react-query";
import { askDiskAnswer, diskClient } from "@/shared/api/disk-client";

/** Larger files make no sense in an editor in a page. */
export const largestText = 10 * 1024 * 1024;

export interface TextFile {
  bytes: Uint8Array;
  /** Of the content that was read; empty when the server sent none. */
  etag: string;
}

const etagOf = (headers: Headers) => headers.get("etag") ?? "";

/** Fetched each time a file is opened, and not again while it is edited. */
export const textQuery = (host: string, path: string) =>
  queryOptions({
    queryKey: ["netdisk-text", host, path],
    queryFn: async ({ signal }): Promise<TextFile> => {
      const { data, headers } = await askDiskAnswer(
        diskClient(host).GET("/api/raw/{path}", {
          params: { path: { path } },
          parseAs: "arrayBuffer",
          // An editor must not start from an old version that the browser kept.
          cache: "no-store",
          signal,
        }),
      );
      return { bytes: new Uint8Array(data), etag: etagOf(headers) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

/** `ifSame`: only over the opened version; `anew`: only if there is no file with this name. */
export type Saving = "ifSame" | "overwrite" | "anew";

interface Text {
  path: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Of the version that it was made from. */
  etag: string;
}

/** Answers the new version's mark. */
export async function saveText(host: string, { path, bytes, etag }: Text, how: Saving): Promise<string> {
  const sent = {
    body: "",
    bodySerializer: () => bytes,
    headers: { "content-type": "application/octet-stream" },
    parseAs: "text",
  } as const;
  const client = diskClient(host);
  const header = how === "ifSame" && etag ? { "If-Match": etag } : {};
  const { headers } = await askDiskAnswer(
    how === "anew"
      ? client.POST("/api/resources/{path}", {
          params: { path: { path }, query: { override: false } },
          ...sent,
        })
      : client.PUT("/api/resources/{path}", { params: { path: { path }, header }, ...sent }),
  );
  return etagOf(headers);
}
