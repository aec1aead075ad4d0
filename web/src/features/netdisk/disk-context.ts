// What every part of the file browser needs to know of where it is and who looks at it, without handing it through
// each of them.
import { createContext, use } from "react";
import type { DiskUser } from "./account/api";
import type { Viewer } from "./actions";

export interface Disk {
  host: string;
  admin: boolean;
  viewer: Viewer;
  /** Left out until the disk has told. */
  user: DiskUser | undefined;
  /** What people call a folder: the sidebar's word for a place, else its name. */
  titleOf: (folder: string) => string;
}

export const DiskContext = createContext<Disk | null>(null);

export function useDisk(): Disk {
  const disk = use(DiskContext);
  if (!disk) throw new Error("only inside of the file browser");
  return disk;
}
