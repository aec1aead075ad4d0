// The present folder and user for every part of the file browser, without passing them through each component.
import { createContext, use } from "react";
import type { DiskUser } from "./account/api";
import type { Viewer } from "./actions";

export interface Disk {
  host: string;
  admin: boolean;
  viewer: Viewer;
  /** Undefined until it is loaded. */
  user: DiskUser | undefined;
  /** The displayed name of a folder: the sidebar's label for a place, otherwise its name. */
  titleOf: (folder: string) => string;
}

export const DiskContext = createContext<Disk | null>(null);

export function useDisk(): Disk {
  const disk = use(DiskContext);
  if (!disk) throw new Error("only inside of the file browser");
  return disk;
}
