// How many servers and cards there are, and how they are; pure.
import type { ServerView } from "./api";
import { freeOf, lookOf } from "./gpu-look";
import { isOpen } from "./server-state";

type Standing = "online" | "unreachable" | "maintenance" | "disabled";

/** As readers see it: maintenance is a state of its own. */
export const standingOf = (server: ServerView): Standing =>
  server.state === "online" && !isOpen(server) ? "maintenance" : server.state;

export interface Counts {
  gpus: number;
  free: number;
  /** In use, also by foreign containers. */
  used: number;
  faulty: number;
  by: Record<Standing, number>;
}

export function countsOf(servers: readonly ServerView[]): Counts {
  const by: Counts["by"] = { online: 0, unreachable: 0, maintenance: 0, disabled: 0 };
  const counts: Counts = { gpus: 0, free: 0, used: 0, faulty: 0, by };
  for (const server of servers) {
    by[standingOf(server)] += 1;
    counts.gpus += server.gpus.length;
    counts.free += freeOf(server).length;
    counts.used += server.gpus.filter(({ lease, external }) => lease || external).length;
    counts.faulty += server.gpus.filter((gpu) => lookOf(gpu, server) === "faulty").length;
  }
  return counts;
}
