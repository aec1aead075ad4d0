// Calls for visitors of a share. None of them is signed: only the link, and its password if it has one, counts.
import { keepPreviousData, queryOptions, useMutation } from "@tanstack/react-query";
import { askDisk, askDiskAnswer, diskBase, encodePath, visitorsDiskClient } from "@/shared/api/disk-client";
import type { ApiError } from "@/shared/api/problem";
import { type ArchiveFormat, type Resource, save } from "../api";
import { diskRoot } from "../disk-paths";
import type { Spot } from "./spot";

/** SPEC §9: how many entries of a folder are shown. */
export const mostShown = 500;

export interface Shared {
  resource: Resource;
  /** When the link ends, in seconds since 1970; 0 for never. */
  expire: number;
}

const hour = 60 * 60 * 1000;

/** Refetches when the link ends, if that is near: the page then shows it by itself. */
function untilEnd(shared: Shared | undefined): number | false {
  const left = (shared?.expire ?? 0) * 1000 - Date.now();
  return left > 0 && left < hour && left + 1000;
}

export const sharedQuery = (spot: Spot, pass: string | null) =>
  queryOptions({
    queryKey: ["share", spot.host, spot.hash, spot.path, pass],
    queryFn: async ({ signal }): Promise<Shared> => {
      const call = visitorsDiskClient(spot.host).GET("/api/public/share/{path}", {
        params: {
          path: { path: `${spot.hash}${spot.path}` },
          // Only the metadata of a file: a text's content would be included otherwise.
          query: { limit: mostShown, kind: "listing", ...(pass !== null && { token: pass }) },
        },
        signal,
      });
      const { data, headers } = await askDiskAnswer<Resource>(call);
      const end = Date.parse(headers.get("sunset") ?? "");
      return { resource: data, expire: Number.isNaN(end) ? 0 : Math.floor(end / 1000) };
    },
    refetchInterval: ({ state }) => untilEnd(state.data),
    // While a folder loads, the previous one is shown.
    placeholderData: keepPreviousData,
  });

/** What a shared folder holds altogether, which takes the server a while to count. */
export const totalQuery = ({ host, hash, path }: Spot, pass: string | null, wanted: boolean) =>
  queryOptions({
    queryKey: ["share", host, hash, path, pass, "total"],
    queryFn: async ({ signal }) => {
      const call = visitorsDiskClient(host).GET("/api/public/share/{path}", {
        params: {
          path: { path: `${hash}${path}` },
          query: { limit: 0, kind: "listing", size: true, ...(pass !== null && { token: pass }) },
        },
        signal,
      });
      return (await askDisk<Resource>(call)).total ?? null;
    },
    enabled: wanted,
    staleTime: 60_000,
    retry: false,
  });

/** The address that a file of this name is sent to. */
export function collectAddress({ host, hash }: Spot, name: string, pass: string | null): URL {
  const address = new URL(`${diskBase(host)}/api/public/collect/${hash}${encodePath(`/${name}`)}`);
  if (pass !== null) address.searchParams.set("token", pass);
  return address;
}

/** Sends the password; returns the token that replaces it. */
export function useUnlock({ host, hash }: Spot) {
  return useMutation<string | null, ApiError, string>({
    mutationFn: async (password) => {
      const call = visitorsDiskClient(host).GET("/api/public/share/{path}", {
        params: {
          path: { path: hash },
          query: { limit: 1 },
          header: { "X-SHARE-PASSWORD": encodeURIComponent(password.toWellFormed()) },
        },
      });
      return (await askDisk<Resource>(call)).token ?? null;
    },
  });
}

export interface Content {
  /** To be shown in the browser instead of saved. */
  inline?: boolean;
  /** How a folder is packed. */
  algo?: ArchiveFormat;
  /** Names in the folder: only these are packed. */
  names?: readonly string[];
}

/** The address of the content at a path. */
export function contentAddress(
  { host, hash }: Spot,
  path: string,
  pass: string | null,
  { inline, algo, names = [] }: Content = {},
): URL {
  const below = path === diskRoot ? "" : encodePath(path.replace(/\/$/, ""));
  const address = new URL(`${diskBase(host)}/api/public/dl/${hash}${below}`);
  if (algo) address.searchParams.set("algo", algo);
  if (inline) address.searchParams.set("inline", "true");
  if (pass !== null) address.searchParams.set("token", pass);
  if (names.length > 0) {
    // The commas between the names are separators, those in them are encoded.
    const files = `files=${names.map(encodeURIComponent).join(",")}`;
    address.search = address.search === "" ? files : `${address.search}&${files}`;
  }
  return address;
}

/** Servers and proxies refuse longer ones. */
const longestAddress = 60_000;

/** Has the browser download it. */
export function fetchContent(address: URL): void {
  if (address.href.length > longestAddress) throw new Error("选中的太多，请下载整个文件夹");
  save(address);
}
