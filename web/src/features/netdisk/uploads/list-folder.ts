// The entries of a folder that something is to be uploaded to.

import { askDisk, diskClient } from "@/shared/api/disk-client";
import { trustedStorageHost } from "@/shared/api/public-settings";
import type { Present } from "./existing";

/** Of a larger folder the rest is left to the server's answers, so that an upload begins in time. */
const mostEntries = 20_000;

/** Nothing when it is not there or can't be read: then the upload itself tells. */
export async function listFolder(folder: string): Promise<readonly Present[] | null> {
  try {
    const query = { limit: mostEntries, kind: "listing" } as const;
    const call = diskClient(trustedStorageHost()).GET("/api/resources/{path}", {
      params: { path: { path: folder }, query },
    });
    return (await askDisk(call)).items ?? [];
  } catch {
    return null;
  }
}
