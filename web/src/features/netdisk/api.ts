// The storage host's data and changes. All keys begin with `netdisk`.
import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import pMap from "p-map";
import { portal, unwrap } from "@/shared/api/client";
import type { components, operations } from "@/shared/api/disk";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import { asApiError } from "@/shared/api/problem";
import { signedAddress } from "@/shared/api/signed-address";
import { useAffecting } from "@/shared/list/use-affecting";
import { diskAddress } from "./disk-address";
import type { Progress } from "./operations/useProgressToast";

export type Item = components["schemas"]["Item"];
export type Resource = components["schemas"]["Resource"];
export type SortKey = components["schemas"]["SortKey"];
export type Sorting = components["schemas"]["Sorting"];

export const netdiskKey = ["netdisk"];

/**
 * The first page is small and fast, the second is for scrolling on. The server reads the whole folder for every page,
 * so the third is the rest: it is only needed to select all or to see the end.
 */
const firstPage = 200;
const secondPage = 2_000;
const theRest = 10_000_000;

function pageAt(offset: number): number {
  if (offset === 0) return firstPage;
  return offset < secondPage ? secondPage : theRest;
}

/** The file or folder at a path. A folder's entries come in pages, in the requested order. */
export const resourceQuery = (host: string, path: string, sorting: Sorting | null) =>
  infiniteQueryOptions({
    queryKey: [...netdiskKey, "resource", host, path, sorting],
    queryFn: ({ pageParam: offset, signal }) => {
      const query = { offset, limit: pageAt(offset), ...(sorting && { sort: sorting.by, asc: sorting.asc }) };
      return askDisk<Resource>(
        diskClient(host).GET("/api/resources/{path}", { params: { path: { path }, query }, signal }),
      );
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const loaded = pages.reduce((sum, page) => sum + (page.items?.length ?? 0), 0);
      const total = (last.numDirs ?? 0) + (last.numFiles ?? 0);
      return loaded < total && (last.items?.length ?? 0) > 0 ? loaded : undefined;
    },
    // Others write here too: every visit of a folder refetches, and shows the cached listing meanwhile.
    staleTime: 0,
    // Comparing a hundred thousand entries with the previous ones costs more than rendering the few in sight again.
    structuralSharing: false,
    placeholderData: (previous, query) => (query?.queryKey[3] === path ? previous : undefined),
  });

/** Whether the loaded part of a folder contains a folder with this name. */
export const knowsFolder = (client: QueryClient, host: string, path: string, name: string): boolean =>
  client
    .getQueriesData<InfiniteData<Resource>>({ queryKey: [...netdiskKey, "resource", host, path] })
    .some(([, data]) =>
      data?.pages.some(({ items }) => items?.some((item) => item.isDir && item.name === name)),
    );

/** Instances fill the disk from elsewhere, so the meter asks again every five seconds while the page is visible. */
export const usageQuery = (host: string, folder: string) =>
  queryOptions({
    queryKey: [...netdiskKey, "usage", host, folder],
    queryFn: ({ signal }) =>
      askDisk(diskClient(host).GET("/api/usage/{path}", { params: { path: { path: folder } }, signal })),
    staleTime: 0,
    refetchInterval: 5_000,
    refetchIntervalInBackground: false,
  });

/** The names of the user's own datasets, whose folders are writable. */
export const ownDatasetsQuery = queryOptions({
  queryKey: ["datasets", "own"],
  queryFn: async ({ signal }) => {
    const query = { mine: true, ready: true, size: 200 };
    const { items } = await unwrap(portal.GET("/api/datasets", { params: { query }, signal }));
    return items.map(({ name }) => name);
  },
});

/** The groups whose folders the user has. */
export const myFoldersQuery = queryOptions({
  queryKey: ["groups", "folders"],
  queryFn: ({ signal }) => {
    const query = { page: 1, size: 200, sort: "name", order: "asc" } as const;
    return unwrap(portal.GET("/api/groups", { params: { query }, signal }));
  },
  staleTime: 60_000,
});

// These respond with a line of text that only means success.
const plain = { parseAs: "text" } as const;

const useChange = <Input, Output>(change: (input: Input) => Promise<Output>) =>
  useAffecting(netdiskKey, change);

/** A folder when the path ends with a slash, else an empty file. */
export const useMake = (host: string) =>
  useChange((path: string) =>
    askDisk(
      diskClient(host).POST("/api/resources/{path}", {
        params: { path: { path } },
        // The document declares a body; there is none.
        body: "",
        bodySerializer: (body) => body,
        ...plain,
      }),
    ),
  );

interface Patch {
  action: "copy" | "rename";
  from: string;
  destination: string;
  override?: boolean;
  rename?: boolean;
}

/** With `prefer` a long operation becomes a task, and the response is that task. */
export const patchResource = (host: string, { from, ...query }: Patch, prefer?: string) =>
  askDisk(
    diskClient(host).PATCH("/api/resources/{path}", {
      // A name such as `100%25` looks encoded twice, unless `encoded` is declared.
      params: {
        path: { path: from },
        query: { ...query, encoded: 1 },
        ...(prefer && { header: { Prefer: prefer } }),
      },
    }),
  );

/** Whether this path exists. A failed request counts as existing. */
export async function isThere(host: string, path: string): Promise<boolean> {
  try {
    const params = { path: { path }, query: { limit: 1 } };
    await askDisk(diskClient(host).GET("/api/resources/{path}", { params }));
    return true;
  } catch (cause) {
    return asApiError(cause).status !== 404;
  }
}

/** Refetches the whole disk, except for deleted paths, which may still be in sight. */
const refreshBut = (client: QueryClient, gone: readonly string[]) =>
  client.invalidateQueries({
    queryKey: netdiskKey,
    predicate: ({ queryKey: [, what, , path] }) =>
      what !== "resource" || typeof path !== "string" || !gone.includes(path),
  });

export function useRename(host: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ from, to }: { from: string; to: string }) =>
      patchResource(host, { action: "rename", from, destination: to }),
    onSettled: (_, error, { from }) => refreshBut(client, error ? [] : [from]),
  });
}

const remove = (host: string, path: string, permanent: boolean) =>
  askDisk(
    diskClient(host).DELETE("/api/resources/{path}", {
      params: { path: { path }, query: { permanent } },
      ...plain,
    }),
  );

export interface Removal {
  /** The deleted paths. */
  gone: string[];
  /** `name：reason`, of those that still exist. */
  failed: string[];
}

export interface Deletion {
  items: readonly Item[];
  /** Past the recycle bin. */
  permanent: boolean;
  /** Reports the progress here, which can also stop it. */
  progress: Pick<Progress, "signal" | "step">;
}

/** As many at once as leave the browser's connections for the rest of the page. */
const removedAtOnce = 4;

async function removeAll(host: string, { items, permanent, progress }: Deletion): Promise<Removal> {
  const removal: Removal = { gone: [], failed: [] };
  const removeOne = async ({ path, name }: Item) => {
    if (progress.signal.aborted) return;
    try {
      await remove(host, path, permanent);
      removal.gone.push(path);
    } catch (cause) {
      const error = asApiError(cause);
      if (error.status === 401) throw error;
      // Another request deleted it first, which is the desired result.
      if (error.status === 404) removal.gone.push(path);
      else removal.failed.push(`${name}：${error.message}`);
    }
    progress.step();
  };
  await pMap(items, removeOne, { concurrency: removedAtOnce });
  return removal;
}

/** Reports entries that could not be deleted; the rest is deleted. */
export function useRemove(host: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (deletion: Deletion) => removeAll(host, deletion),
    // Half of it may have happened.
    onSettled: (removal) => refreshBut(client, removal?.gone ?? []),
  });
}

/** Of a file's content. */
export const rawAddress = (host: string, path: string, query: Record<string, string> = {}) =>
  signedAddress(diskAddress(host, "raw", path, query));

/**
 * Has the browser download a URL, in a window of its own: it closes as soon as the download begins, and stays with the
 * reason when the server refuses.
 */
export function save(address: URL) {
  const link = document.createElement("a");
  link.href = address.href;
  link.target = "_blank";
  link.rel = "noopener";
  document.body.append(link);
  link.click();
  link.remove();
}

/** Has the browser download a file. */
export const download = async (host: string, path: string) => save(await rawAddress(host, path));

export const archiveFormats = ["zip", "tar", "targz", "tarbz2", "tarxz", "tarlz4", "tarsz"] as const;
export type ArchiveFormat = (typeof archiveFormats)[number];

/** Has the browser download a folder, or some of its entries, as one archive. */
export async function downloadArchive(
  host: string,
  folder: string,
  names: readonly string[],
  algo: ArchiveFormat,
): Promise<void> {
  const address = await rawAddress(host, folder, { algo });
  // The commas between the names are separators, those in them are encoded.
  const files = names.map(encodeURIComponent).join(",");
  if (names.length > 0) address.search += `&files=${files}`;
  save(address);
}

type ResourceQuery = NonNullable<operations["getResource"]["parameters"]["query"]>;
export type Checksum = NonNullable<ResourceQuery["checksum"]>;

export const checksumQuery = (host: string, path: string, modified: string, algo: Checksum) =>
  queryOptions({
    queryKey: ["netdisk-checksum", host, path, modified, algo],
    queryFn: async ({ signal }) => {
      const call = diskClient(host).GET("/api/resources/{path}", {
        params: { path: { path }, query: { checksum: algo } },
        signal,
      });
      return (await askDisk(call)).checksums?.[algo] ?? "";
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** The total content of a folder; counted by the server each time. */
export const totalQuery = (host: string, path: string) =>
  queryOptions({
    queryKey: ["netdisk-total", host, path],
    queryFn: async ({ signal }) => {
      const call = diskClient(host).GET("/api/resources/{path}", {
        params: { path: { path }, query: { size: true, limit: 1 } },
        signal,
      });
      return (await askDisk(call)).total;
    },
    gcTime: 0,
    retry: false,
  });
