// The user's position in each folder, restored when they come back. In memory: a reload forgets it.
import { useState } from "react";
import { NavigationType, useNavigationType } from "react-router";
import { useSession } from "@/shared/stores/session";
import { diskRoot, isFolderPath, nameOf, parentOf } from "../disk-paths";

export interface Place {
  /** The entry that was opened or looked at last; `null` when none was. */
  name: string | null;
  /** The first entry that was in sight, counted from 0. */
  first: number;
}

const places = new Map<string, Place>();

/** The last shown path. */
let shown = diskRoot;

/** Another user has another disk. */
useSession.subscribe(({ id }, before) => {
  if (id !== before.id) places.clear();
});

/** The position to restore in a folder; undefined when it is opened newly, neither from below nor by going back. */
export function placeOnArrival(path: string, steppedBack: boolean): Place | undefined {
  const fromBelow = shown !== path && shown.startsWith(path);
  return steppedBack || fromBelow ? places.get(path) : undefined;
}

/** The shown path is the position in each folder above it. Not for a path that cannot be opened. */
export function arrive(path: string, place: Place | undefined) {
  if (isFolderPath(path)) {
    if (place) places.set(path, place);
    else places.delete(path);
  }
  for (let at = path; at !== diskRoot; at = parentOf(at)) {
    const above = parentOf(at);
    places.set(above, { first: places.get(above)?.first ?? 0, name: nameOf(at) });
  }
  shown = path;
}

/** For when a folder is left. */
export function keepFirst(folder: string, first: number) {
  places.set(folder, { name: places.get(folder)?.name ?? null, first });
}

/** The initial position of the component for one path. */
export function usePlace(path: string): Place | undefined {
  const steppedBack = useNavigationType() === NavigationType.Pop;
  return useState(() => placeOnArrival(path, steppedBack))[0];
}
