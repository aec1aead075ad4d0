// Share links: of one file or folder, and all of the user's.
import { queryOptions } from "@tanstack/react-query";
import type { components, operations } from "@/shared/api/disk";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import { asApiError } from "@/shared/api/problem";
import { useAffecting } from "@/shared/list/use-affecting";

export type ShareLink = components["schemas"]["ShareLink"];
export type ShareUnit = NonNullable<NonNullable<operations["createShare"]["parameters"]["query"]>["unit"]>;

/** Separate from the files: those need not be refetched because of a link. */
const sharesKey = "netdisk-shares";

/** The server sorts: permanent ones first, then by expiry. */
export const sharesOfQuery = (host: string, path: string) =>
  queryOptions({
    queryKey: [sharesKey, host, path],
    queryFn: ({ signal }) =>
      askDisk(diskClient(host).GET("/api/share/{path}", { params: { path: { path } }, signal })),
    staleTime: 0,
  });

/** The user's own; for the disk's administrators those of all users. */
export const allSharesQuery = (host: string) =>
  queryOptions({
    queryKey: [sharesKey, host],
    queryFn: ({ signal }) => askDisk(diskClient(host).GET("/api/shares", { signal })),
    staleTime: 0,
  });

export interface NewShare {
  path: string;
  /** Its duration; null is permanent. */
  lasting: { number: number; unit: ShareUnit } | null;
  /** Empty for none. */
  password: string;
  /** For a link by which visitors send files: bytes and files in all. */
  collect?: { maxBytes: number; maxFiles: number };
}

export const useCreateShare = (host: string) =>
  useAffecting([sharesKey], ({ path, lasting, password, collect }: NewShare) => {
    const query = lasting ? { expires: String(lasting.number), unit: lasting.unit } : {};
    const body = { ...(password !== "" && { password }), ...(collect && { collect }) };
    return askDisk(diskClient(host).POST("/api/share/{path}", { params: { path: { path }, query }, body }));
  });

async function deleteShare(host: string, hash: string): Promise<void> {
  const call = diskClient(host).DELETE("/api/share/{path}", {
    params: { path: { path: hash } },
    parseAs: "text",
  });
  await askDisk(call).catch((cause: unknown) => {
    // It has expired or another request removed it first, which is the desired result.
    if (asApiError(cause).status !== 404) throw cause;
  });
}

export const useDeleteShare = (host: string) =>
  useAffecting([sharesKey], (hash: string) => deleteShare(host, hash));

/** The URL to give away: the public page, with the storage host that it must query. */
export function shareAddress(host: string, hash: string): string {
  return `${location.origin}/share/${hash}?diskhost=${encodeURIComponent(host)}`;
}
