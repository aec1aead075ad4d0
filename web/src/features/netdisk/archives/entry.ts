// One entry of an archive, of any format.
export interface Entry {
  name: string;
  isDir: boolean;
  /** Bytes, unpacked. */
  size: number;
  /** Bytes in the archive, where the format tells. */
  packed: number | null;
  modified: string | null;
  encrypted: boolean;
}

export interface ArchiveList {
  format: string;
  entries: Entry[];
  /** Why the list is not complete; empty when it is. */
  note: string;
}
