// Which servers of all a reader asked for; pure.
import type { ServerView } from "@/shared/compute/api";
import { standingOf } from "@/shared/compute/counts";
import { freeOf } from "@/shared/compute/gpu-look";
import { shortModel } from "@/shared/compute/gpu-model";
import type { ListParams } from "@/shared/list/use-list-params";

export const standings = [
  { value: "online", label: "在线" },
  { value: "unreachable", label: "失联" },
  { value: "maintenance", label: "维护" },
  { value: "disabled", label: "已停用" },
] as const;

export function modelsOf(servers: readonly ServerView[]): { value: string; label: string }[] {
  const labels = new Map(servers.flatMap(({ gpus }) => gpus).map((gpu) => [gpu.model, shortModel(gpu)]));
  return [...labels]
    .map(([value, label]) => ({ value, label }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
}

export type Filter = "state" | "model" | "free";

export function found(
  servers: readonly ServerView[],
  { q, filters }: Pick<ListParams<Filter>, "q" | "filters">,
): ServerView[] {
  const words = q.trim().toLowerCase();
  return servers.filter((server) => {
    const texts = [server.name, server.publicHost, ...server.gpus.map((gpu) => gpu.model)];
    return (
      (words === "" || texts.some((text) => text.toLowerCase().includes(words))) &&
      (filters.state === undefined || standingOf(server) === filters.state) &&
      (filters.model === undefined || server.gpus.some((gpu) => gpu.model === filters.model)) &&
      (filters.free !== "true" || freeOf(server).length > 0)
    );
  });
}

const keys: Readonly<Record<string, (server: ServerView) => number>> = {
  free: (server) => freeOf(server).length,
  cpu: (server) => server.cpuAvailable ?? 0,
  memory: (server) => server.memoryAvailable ?? 0,
  instances: (server) => server.runningInstances,
};

/** By name unless asked otherwise; the name also decides between equals. */
export function sorted(
  servers: readonly ServerView[],
  { sort, order }: Pick<ListParams<Filter>, "sort" | "order">,
): ServerView[] {
  const key = keys[sort];
  const byName = (a: ServerView, b: ServerView) => a.name.localeCompare(b.name, "zh-CN", { numeric: true });
  const sign = order === "desc" ? -1 : 1;
  return servers.toSorted((a, b) => sign * ((key ? key(a) - key(b) : 0) || byName(a, b)));
}
