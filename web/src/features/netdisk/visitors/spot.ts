// A visitor's place in a share. The URL has the link's hash, the path in the share, and the storage host.
import { diskBase, encodePath } from "@/shared/api/disk-client";
import { decodePath, diskRoot } from "../disk-paths";

export interface Spot {
  host: string;
  hash: string;
  /** From the root of the share, decoded; `/` is the shared file or folder itself. */
  path: string;
}

const page = "/share/";

/** `pathname` as the browser has it, encoded. */
export function hashAndPath(pathname: string): Pick<Spot, "hash" | "path"> {
  const rest = pathname.startsWith(page) ? pathname.slice(page.length) : "";
  const end = rest.indexOf("/");
  const hash = end < 0 ? rest : rest.slice(0, end);
  return { hash, path: end < 0 ? diskRoot : decodePath(rest.slice(end)) };
}

/** The page's address at another path of the same share. */
export const spotAddress = ({ host, hash }: Spot, path: string) =>
  `${page}${hash}${encodePath(path)}?diskhost=${encodeURIComponent(host)}`;

/** Whether pages can send requests to this address at all. */
export function isWebAddress(host: string): boolean {
  return URL.canParse(host, location.origin) && /^https?:$/.test(new URL(host, location.origin).protocol);
}

/** Whether this storage host is the portal's: a link may name any other one, which is not trusted. */
export function isOwnHost(host: string, configured: string): boolean {
  const base = diskBase(host);
  return new URL(base).origin === location.origin || (configured !== "" && base === diskBase(configured));
}
