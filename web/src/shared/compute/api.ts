// The server's data about machines, cards and instances, for several features. All of it changes by itself, so it is
// refetched every few seconds while shown; a hidden page fetches nothing.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { findingsKey } from "@/shared/findings/api";
import { useAffecting } from "@/shared/list/use-affecting";
import { isMoving } from "./instance-state";

type Schemas = components["schemas"];
export type ServerView = Schemas["ServerView"];
export type Gpu = Schemas["Gpu"];
export type GpuSample = Schemas["GpuSample"];
export type InstanceSample = Schemas["InstanceSample"];
export type InstanceView = Schemas["InstanceView"];
export type InstanceDetail = Schemas["InstanceDetail"];
export type InstanceState = InstanceView["state"];
export type InstanceRefusal = Schemas["InstanceRefusal"];
export type InstancePort = InstanceView["ports"][number];

/** Milliseconds between two fetches. */
const LIVE = 5_000;
/** While something is on its way, such as an image that is pulled. */
const LIVELY = 1_000;

/** Pages hold no more. */
const PAGE = 200;

async function allServers(signal: AbortSignal): Promise<{ items: ServerView[]; total: number }> {
  const items: ServerView[] = [];
  for (let page = 1; ; page += 1) {
    const query = { page, size: PAGE, sort: "name", order: "asc" } as const;
    const part = await unwrap(portal.GET("/api/servers", { params: { query }, signal }));
    items.push(...part.items);
    if (part.items.length < PAGE) return { items, total: items.length };
  }
}

/** All servers that the user may use. */
export const allServersQuery = queryOptions({
  queryKey: ["servers", "all"],
  queryFn: ({ signal }) => allServers(signal),
  refetchInterval: LIVE,
});

export const serverQuery = (id: string) =>
  queryOptions({
    queryKey: ["servers", "one", id],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/servers/{id}", { params: { path: { id } }, signal })),
    refetchInterval: LIVE,
  });

/** A longer span has a sample a minute, so there is nothing new to see before. */
const ofSpan = (minutes: number) => ({
  placeholderData: keepPreviousData,
  refetchInterval: minutes > 60 ? 60_000 : LIVE,
});

export const gpuSamplesQuery = (id: string, minutes: number) =>
  queryOptions({
    queryKey: ["gpus", "samples", id, minutes],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/gpus/{id}/samples", { params: { path: { id }, query: { minutes } }, signal })),
    ...ofSpan(minutes),
  });

export const instanceSamplesQuery = (id: string, minutes: number) =>
  queryOptions({
    queryKey: ["instance-samples", id, minutes],
    queryFn: ({ signal }) =>
      unwrap(
        portal.GET("/api/instances/{id}/samples", { params: { path: { id }, query: { minutes } }, signal }),
      ),
    ...ofSpan(minutes),
  });

export interface InstanceFilter {
  page: number;
  size: number;
  sort: string;
  order: "asc" | "desc";
  q?: string;
  state?: InstanceState;
  server?: string;
  user?: number;
  group?: number;
  mine?: boolean;
  released?: boolean;
}

export const instancesQuery = (query: InstanceFilter) =>
  queryOptions({
    queryKey: ["instances", "list", query],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/instances", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isMoving) ? LIVELY : LIVE),
  });

const newestFirst = { page: 1, size: PAGE, sort: "created", order: "desc" } as const;

export const myInstancesQuery = instancesQuery({ ...newestFirst, mine: true });

export const instancesOfGroupQuery = (group: number) => instancesQuery({ ...newestFirst, group });

export const instancesOnQuery = (server: string) => instancesQuery({ ...newestFirst, server });

export const instanceQuery = (id: string) =>
  queryOptions({
    queryKey: ["instances", "one", id],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/instances/{id}", { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data && isMoving(state.data) ? LIVELY : LIVE),
  });

const affected = ["instances", "servers", "gpus", "dashboard", "logs", findingsKey];

/** A change of an instance, or of data that instances depend on. */
export const useComputeChange = <Input, Output>(change: (input: Input) => Promise<Output>) =>
  useAffecting(affected, change);

const named = (id: string) => ({ params: { path: { id } } });

export type InstanceAct = InstanceView["acts"][number]["act"];

const acts = {
  start: (id: string) => unwrap(portal.POST("/api/instances/{id}/start", named(id))),
  stop: (id: string) => unwrap(portal.POST("/api/instances/{id}/stop", named(id))),
  restart: (id: string) => unwrap(portal.POST("/api/instances/{id}/restart", named(id))),
  release: (id: string) => unwrap(portal.POST("/api/instances/{id}/release", named(id))),
  resume: (id: string) => unwrap(portal.POST("/api/instances/{id}/resume", named(id))),
} satisfies Record<InstanceAct, (id: string) => Promise<InstanceView>>;

export const actOn = (act: InstanceAct, id: string): Promise<InstanceView> => acts[act](id);

export const useActOn = () =>
  useComputeChange(({ act, id }: { act: InstanceAct; id: string }) => actOn(act, id));

/** Resumes a frozen instance, after space was freed. */
export const useGoOn = () =>
  useComputeChange((id: string) => unwrap(portal.POST("/api/instances/{id}/go-on", named(id))));

/** Actions on several instances. */
export type BatchAct = Extract<Schemas["InstanceBatch"]["action"], "start" | "stop" | "release">;

/** The server takes no more at once. */
const MOST_AT_ONCE = 200;

/** Each is independent: refused ones are returned with the reason. */
export const useActOnMany = () =>
  useComputeChange(async ({ action, ids }: { action: BatchAct; ids: readonly string[] }) => {
    const result: Schemas["InstanceBatchResult"] = { done: [], refused: [] };
    for (let from = 0; from < ids.length; from += MOST_AT_ONCE) {
      const body = { action, ids: ids.slice(from, from + MOST_AT_ONCE) };
      const part = await unwrap(portal.POST("/api/instances/batch", { body }));
      result.done.push(...part.done);
      result.refused.push(...part.refused);
    }
    return result;
  });

/** `stopAt`: null is never. */
export const useExtend = () =>
  useComputeChange(({ id, stopAt }: { id: string; stopAt: string | null }) =>
    unwrap(portal.POST("/api/instances/{id}/extend", { ...named(id), body: { stopAt } })),
  );
