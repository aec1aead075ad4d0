// Paths on the disk and in the address bar. Inside the app a path is decoded and starts at the viewer's root; a
// folder's ends with a slash, a file's does not. Encoding for requests is `shared/api/disk-client`'s.

import { encodePath } from "@/shared/api/disk-client";
import { shownName } from "@/shared/lib/shown-name";

export const diskRoot = "/";

const page = "/netdisk/files";

/** A typed URL may contain a stray percent sign: then the segment is used undecoded. */
function decodeName(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export const isFolderPath = (path: string) => path.endsWith("/");

export const namesOf = (path: string) => path.split("/").filter((name) => name !== "");

/** The last name; empty for the root. */
export const nameOf = (path: string) => namesOf(path).at(-1) ?? "";

export function parentOf(path: string): string {
  const above = namesOf(path).slice(0, -1);
  return above.length === 0 ? diskRoot : `/${above.join("/")}/`;
}

export const fileIn = (folder: string, name: string) => `${folder}${name}`;

export const folderIn = (folder: string, name: string) => `${folder}${name}/`;

export const asFolder = (path: string) => (isFolderPath(path) ? path : `${path}/`);

/** The address of the file browser at this path. */
export const filesAddress = (path: string) => `${page}${encodePath(path)}`;

/** The path in an encoded part of a URL. */
export function decodePath(encoded: string): string {
  const names = namesOf(encoded).map(decodeName);
  if (names.length === 0) return diskRoot;
  return `/${names.join("/")}${isFolderPath(encoded) ? "/" : ""}`;
}

/** The path in a URL of the file browser; `pathname` as the browser has it. */
export const pathOfAddress = (pathname: string) =>
  decodePath(pathname.startsWith(page) ? pathname.slice(page.length) : "");

export { shownName };
