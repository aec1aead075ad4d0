// The URL of one call to the disk, for requests that the client cannot send: downloads, uploads, sockets.
import { diskBase, encodePath } from "@/shared/api/disk-client";

export function diskAddress(
  storageHost: string,
  call: "resources" | "raw" | "tus" | "command",
  path: string,
  query: Record<string, string> = {},
): URL {
  const address = new URL(`${diskBase(storageHost)}/api/${call}${encodePath(path)}`);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return address;
}
