// This browser's record of unfinished uploads, so that they can be resumed after a reload: where the pieces of a large
// file are on the server, and which lines of the panel were unfinished. Each under a key of its own, because several
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

/** A full or forbidden storage only loses the record: the upload itself continues. */
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

/** Of the same file only: another file with the same name must not be joined to these pieces. */
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
  /** The target folder. */
  folder: string;
  size: number;
  /** Of a single file, to recognise it. */
  modified: number;
  percent: number;
  /** The last sign of life of the sending tab; 0 once that tab is gone. */
  alive: number;
}

/** Interval between the signs of life of a sending tab. */
export const beatMs = 5_000;

/** Browsers wake a tab in the background only once a minute; an upload that is silent for longer has no tab. */
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

/** Uploads that no tab is sending any more. */
export function abandoned(now = Date.now()): Unfinished[] {
  const prefix = keyOf(lineKey, "");
  return keys()
    .filter((key) => key.startsWith(prefix))
    .map((key) => read<Unfinished>(key))
    .filter((line): line is Unfinished => line !== null && now - line.alive > silentMs)
    .toSorted((a, b) => a.name.localeCompare(b.name));
}
