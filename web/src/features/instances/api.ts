// Data that only the pages of instances fetch and change.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { actOn, type InstanceView, instancesQuery, useComputeChange } from "@/shared/compute/api";
import { useAffecting } from "@/shared/list/use-affecting";

type Schemas = components["schemas"];
export type InstanceForm = Schemas["InstanceForm"];
export type InstanceChange = Schemas["InstanceChange"];
export type PortForm = Schemas["PortForm"];

export interface RecentImage {
  image: string;
  /** When an instance was last made from it. */
  used: string;
  times: number;
}

/** Images of the user's own instances, including released ones: the last used first. */
export const recentImagesQuery = queryOptions({
  ...instancesQuery({ page: 1, size: 100, sort: "created", order: "desc", mine: true, released: true }),
  refetchInterval: false,
  select: ({ items }) => recentImages(items),
});

function recentImages(instances: readonly Pick<InstanceView, "image" | "created">[]): RecentImage[] {
  const images = new Map<string, RecentImage>();
  for (const { image, created } of instances) {
    const known = images.get(image);
    images.set(image, { image, used: known?.used ?? created, times: (known?.times ?? 0) + 1 });
  }
  return [...images.values()];
}

export const useCreateInstance = () =>
  useComputeChange((body: InstanceForm) => unwrap(portal.POST("/api/instances", { body })));

/** Whether an instance could be made of this form, as JSON, now; the query's error says why not. */
export const createCheckQuery = (form: string) =>
  queryOptions({
    queryKey: ["instances", "check", form],
    queryFn: async () => {
      const body = JSON.parse(form) as InstanceForm;
      await unwrap<unknown>(portal.POST("/api/instances", { params: { query: { check: true } }, body }));
      return true;
    },
    enabled: form !== "",
    retry: false,
    staleTime: 0,
    gcTime: 0,
    // Cards and quotas are others', too.
    refetchInterval: 15_000,
  });

export const useChangeInstance = () =>
  useComputeChange(({ id, change }: { id: string; change: InstanceChange }) =>
    unwrap(portal.PUT("/api/instances/{id}", { params: { path: { id } }, body: change })),
  );

/** A command that does nothing and never ends: the instance is there for its terminals. */
const KEEPS_RUNNING = ["sleep", "infinity"];

/** Starts a stopped instance with a command that keeps it running. */
export const useKeepRunning = () =>
  useComputeChange(async (id: string) => {
    const change = { command: KEEPS_RUNNING };
    await unwrap(portal.PUT("/api/instances/{id}", { params: { path: { id } }, body: change }));
    return actOn("start", id);
  });

export type OfferedImage = Schemas["OfferedImage"];

/** The images on a server that the user may create an instance of. */
export const offeredImagesQuery = (server: string, query: { page: number; size: number; q: string }) =>
  queryOptions({
    queryKey: ["servers", "offered-images", server, query],
    queryFn: ({ signal }) =>
      unwrap(
        portal.GET("/api/servers/{id}/offered-images", {
          params: { path: { id: server }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    // The engine is queried each time.
    staleTime: 30_000,
  });

/** Whether users are offered it; by its name they may use it anyway. */
export const useOfferImage = () =>
  useAffecting(["servers"], (body: Schemas["OfferForm"]) =>
    unwrap(portal.PUT("/api/images/offered", { body })),
  );
