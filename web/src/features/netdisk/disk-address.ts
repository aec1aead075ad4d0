// Where the disk is. The setting is a path below this origin (`/disk`) or a whole address of another host.
import { encodePath } from "./disk-paths";

/** Absolute and without a slash at the end. */
export function diskBase(storageHost: string): string {
  return new URL(storageHost, location.origin).href.replace(/\/+$/, "");
}

export function diskAddress(
  storageHost: string,
  call: "resources" | "raw",
  path: string,
  query: Record<string, string> = {},
): URL {
  const address = new URL(`${diskBase(storageHost)}/api/${call}${encodePath(path)}`);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return address;
}
