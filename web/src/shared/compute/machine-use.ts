// Load of a machine, whatever causes it; pure.
import { coresOf, formatCount } from "@/shared/lib/numbers";
import type { ServerView } from "./api";
import { coresText, memoryText } from "./text";

export interface Share {
  label: string;
  used: number;
  total: number;
  /** 12.5 / 32 核 */
  text: string;
}

type Measured = Pick<ServerView, "usage" | "facts">;
type Room = NonNullable<NonNullable<ServerView["usage"]>["disk"]>;

const tenths = (value: number) => formatCount(Math.round(value * 10) / 10);

/** Undefined while it is unknown. */
export function cpuShare({ usage, facts }: Measured): Share | undefined {
  const used = usage?.cpu;
  const total = facts?.cpuTotal;
  if (used == null || !total) return undefined;
  return { label: "CPU", used, total, text: `${tenths(coresOf(used))} / ${coresText(total)}` };
}

export function memoryShare({ usage, facts }: Measured): Share | undefined {
  const total = facts?.memoryTotal;
  if (!usage || !total) return undefined;
  return {
    label: "内存",
    used: usage.memory,
    total,
    text: `${memoryText(usage.memory)} / ${memoryText(total)}`,
  };
}

function roomShare(label: string, room: Room | null | undefined): Share | undefined {
  if (!room || room.total === 0) return undefined;
  return { label, ...room, text: `${memoryText(room.used)} / ${memoryText(room.total)}` };
}

/** The disk on which images and the roots of instances lie. */
export const diskShare = ({ usage }: Measured) => roomShare("磁盘", usage?.disk);

export const storageShare = ({ usage }: Measured) => roomShare("网盘", usage?.storage);

/** The known shares, in the order of display. */
export const sharesOf = (server: Measured): Share[] =>
  [cpuShare, memoryShare, diskShare, storageShare].flatMap((share) => share(server) ?? []);

/** CPU 62% · 内存 48% · 磁盘 71% */
export const percentsText = (server: Measured): string =>
  sharesOf(server)
    .map(({ label, used, total }) => `${label} ${Math.round((used / total) * 100)}%`)
    .join(" · ");
