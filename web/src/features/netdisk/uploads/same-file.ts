// Whether the file on the disk is the very file to be sent: then a restarted upload may skip it.
import { askDisk, diskClient } from "@/shared/api/disk-client";
import type { UploadJob } from "./plan";

const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

export async function isThereAlready(storageHost: string, { path, file }: UploadJob): Promise<boolean> {
  const { content } = file;
  if (!content) return false;
  const call = diskClient(storageHost).GET("/api/resources/{path}", { params: { path: { path } } });
  const there = await askDisk(call).catch(() => null);
  return (
    there !== null &&
    !there.isDir &&
    there.size === content.size &&
    seconds(Date.parse(there.modified)) === seconds(content.lastModified)
  );
}
