// The form of the room that people have: the API's shape, with the size in GB.
import { GB } from "@/shared/quotas/quotas";
import type { SpaceSettings } from "./api";

export interface SpaceForm extends Omit<SpaceSettings, "rootLimit"> {
  rootGb: number;
}

export function spaceFormOf({ rootLimit, ...space }: SpaceSettings): SpaceForm {
  return { ...space, rootGb: rootLimit / GB };
}

export function spaceOf({ rootGb, ...space }: SpaceForm): SpaceSettings {
  return { ...space, rootLimit: Math.round(rootGb * GB) };
}
