// Links to one's files for anybody who has them: of one file or folder, and all that one has given out.
import { queryOptions } from "@tanstack/react-query";
import type { components, operations } from "@/shared/api/disk";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import { asApiError } from "@/shared/api/problem";
import { useAffecting } from "@/shared/list/use-affecting";

export type ShareLink = components["schemas"]["ShareLink"];
export type ShareUnit = NonNullable<NonNullable<operations["createShare"]["parameters"]["query"]>["unit"]>;

/** Apart from the files: those need not be fetched again because of a link. */
const sharesKey = "netdisk-shares";

/** The server sorts: permanent ones first, then by expiry. */
export const sharesOfQuery = (host: string, path: string) =>
  queryOptions({
    queryKey: [sharesKey, host, path],
    queryFn: ({ signal }) =>
      askDisk(diskClient(host).GET("/api/share/{path}", { params: { path: { path } }, signal })),
    staleTime: 0,
  });

/** One's own; for administrators of the disk everybody's. */
export const allSharesQuery = (host: string) =>
  queryOptions({
    queryKey: [sharesKey, host],
    queryFn: ({ signal }) => askDisk(diskClient(host).GET("/api/shares", { signal })),
    staleTime: 0,
  });

export interface NewShare {
  path: string;
  /** How long it holds; none for ever. */
  lasting: { number: number; unit: ShareUnit } | null;
  /** Empty for none. */
  password: string;
}

export const useCreateShare = (host: string) =>
  useAffecting([sharesKey], ({ path, lasting, password }: NewShare) => {
    const query = lasting ? { expires: String(lasting.number), unit: lasting.unit } : {};
    const body = password === "" ? {} : { password };
    return askDisk(diskClient(host).POST("/api/share/{path}", { params: { path: { path }, query }, body }));
  });

async function deleteShare(host: string, hash: string): Promise<void> {
  const call = diskClient(host).DELETE("/api/share/{path}", {
    params: { path: { path: hash } },
    parseAs: "text",
  });
  await askDisk(call).catch((cause: unknown) => {
    // It has expired or somebody else was quicker: it is gone, which is what was wanted.
    if (asApiError(cause).status !== 404) throw cause;
  });
}

export const useDeleteShare = (host: string) =>
  useAffecting([sharesKey], (hash: string) => deleteShare(host, hash));

/** What is given away: the public page, with the storage host that it has to ask. */
export function shareAddress(host: string, hash: string): string {
  return `${location.origin}/share/${hash}?diskhost=${encodeURIComponent(host)}`;
}
