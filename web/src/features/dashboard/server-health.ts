// The faults of a server, and the order of the list; pure.
import type { ServerView } from "@/shared/compute/api";
import { lookOf } from "@/shared/compute/gpu-look";
import { diskShare } from "@/shared/compute/machine-use";

/** From this share of its disk on, new images and roots may find no room. */
const FULL = 0.9;

/** 62–78 °C: of the coldest card to the hottest; empty while unknown. */
export function warmthOf({ state, gpus }: Pick<ServerView, "state" | "gpus">): string {
  const degrees = state === "online" ? gpus.flatMap(({ sample }) => sample?.temperature ?? []) : [];
  if (degrees.length === 0) return "";
  const [low, high] = [Math.min(...degrees), Math.max(...degrees)];
  return low === high ? `${low} °C` : `${low}–${high} °C`;
}

/** Faults beyond the state of the server itself. */
export function troublesOf(server: ServerView): string[] {
  const failed = server.manage?.checks.filter(({ outcome }) => outcome === "failed").length ?? 0;
  const faulty = server.gpus.filter((gpu) => lookOf(gpu, server) === "faulty").map(({ index }) => index);
  const disk = server.state === "online" ? diskShare(server) : undefined;
  return [
    ...(faulty.length > 0 ? [`卡 ${faulty.join("、")} 故障`] : []),
    ...(disk && disk.used / disk.total >= FULL ? ["磁盘将满"] : []),
    ...(failed > 0 ? [`${failed} 项检测未通过`] : []),
  ];
}

const needOf = (server: ServerView) =>
  server.state === "online" ? (troublesOf(server).length > 0 ? 1 : 2) : 0;

/** Servers that don't answer first, then those with faults; the name decides between equals. */
export const byNeed = (a: ServerView, b: ServerView) =>
  needOf(a) - needOf(b) || a.name.localeCompare(b.name, "zh-CN", { numeric: true });
