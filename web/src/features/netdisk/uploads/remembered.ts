// What this browser remembers of unfinished uploads, so that they go on after a reload: where the pieces of a large
// file lie on the server, and which lines of the panel were not done. Each under a key of its own, because several
// tabs write here.
import { readClaims, storedToken } from "@/shared/api/token";

const piecesKey = "upload_pieces";
const lineKey = "upload_line";

function owner(): number {
  const token = storedToken();
  try {
    return token ? readClaims(token).id : 0;
  } catch {
    return 0;
  }
}

const keyOf = (kind: string, name: string) => `${kind} ${owner()} ${name}`;

/** A full or forbidden storage only forgets: the upload itself goes on. */
function write(key: string, value: unknown) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Nothing that the person could do about it.
  }
}

function read<T>(key: string): T | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

function remove(key: string) {
  try {
    localStorage.removeItem(key);
  } catch {
    // A storage that can't be written to had nothing to remove.
  }
}

interface Pieces {
  url: string;
  size: number;
  modified: number;
}

/** Of the same file only: another of the same name must not be joined to the pieces of this one. */
export function piecesOf(path: string, { size, lastModified }: File): Pieces | null {
  const known = read<Pieces>(keyOf(piecesKey, path));
  return known?.size === size && known.modified === lastModified ? known : null;
}

export const piecesUrl = (path: string) => read<Pieces>(keyOf(piecesKey, path))?.url ?? null;

export const rememberPieces = (path: string, { size, lastModified }: File, url: string) =>
  write(keyOf(piecesKey, path), { url, size, modified: lastModified } satisfies Pieces);

export const forgetPieces = (path: string) => remove(keyOf(piecesKey, path));

/** A line of the panel that was not done when it was last heard of. */
export interface Unfinished {
  id: string;
  name: string;
  isDir: boolean;
  /** The folder that it goes into. */
  folder: string;
  size: number;
  /** Of a single file, to know it again. */
  modified: number;
  percent: number;
  /** When the tab that sends it last wrote; 0 once that tab is gone. */
  alive: number;
}

/** How often a tab says that it is still sending. */
export const beatMs = 5_000;

/** Browsers wake a tab in the background only once a minute; what is silent for longer belongs to nobody. */
const silentMs = 90_000;

export const rememberLine = (line: Unfinished) => write(keyOf(lineKey, line.id), line);

export const forgetLine = (id: string) => remove(keyOf(lineKey, id));

function keys(): string[] {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}

/** Those that no tab is sending any more. */
export function abandoned(now = Date.now()): Unfinished[] {
  const prefix = keyOf(lineKey, "");
  return keys()
    .filter((key) => key.startsWith(prefix))
    .map((key) => read<Unfinished>(key))
    .filter((line): line is Unfinished => line !== null && now - line.alive > silentMs)
    .toSorted((a, b) => a.name.localeCompare(b.name));
}
