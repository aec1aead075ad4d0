// Data that only the pages of servers fetch and change.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useComputeChange } from "@/shared/compute/api";

type Schemas = components["schemas"];
export type ServerForm = Schemas["ServerForm"];
export type Check = Schemas["Check"];
export type DeviceGpuForm = Schemas["DeviceGpuForm"];
export type GpuChange = Schemas["GpuChange"];

const named = (id: string) => ({ params: { path: { id } } });

export type EngineImage = Schemas["EngineImage"];

/** Images on the engine, the largest first; for administrators. */
export const engineImagesQuery = (id: string) =>
  queryOptions({
    queryKey: ["servers", "images", id],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/servers/{id}/images", { ...named(id), signal })),
    // The machine is queried each time.
    staleTime: 30_000,
  });

export type Machine = Schemas["Machine"];
export type MachineLogLine = Schemas["MachineLogLine"];

// Each look starts a container there and is logged, so nothing looks again by itself.
const looked = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, retry: false } as const;

/** The newest lines of the machine's kernel; for administrators. */
export const kernelLogQuery = (id: string) =>
  queryOptions({
    queryKey: ["servers", "kernel-log", id],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/servers/{id}/kernel-log", { ...named(id), signal })),
    ...looked,
  });

/** How long the machine has been up, and the disk that the network disk lies on there; for administrators. */
export const machineQuery = (id: string) =>
  queryOptions({
    queryKey: ["servers", "machine", id],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/servers/{id}/machine", { ...named(id), signal })),
    ...looked,
  });

export const useAddServer = () =>
  useComputeChange((body: ServerForm) => unwrap(portal.POST("/api/servers", { body })));

export const useChangeServer = () =>
  useComputeChange(({ id, change }: { id: string; change: ServerForm }) =>
    unwrap(portal.PUT("/api/servers/{id}", { ...named(id), body: change })),
  );

/** Nothing starts there any more, and at that time what still runs is stopped. */
export const useDrainServer = () =>
  useComputeChange(({ id, ...body }: { id: string; at: string; note: string }) =>
    unwrap(portal.POST("/api/servers/{id}/drain", { ...named(id), body })),
  );

export const useLiftDrain = () =>
  useComputeChange((id: string) => unwrap(portal.DELETE("/api/servers/{id}/drain", named(id))));

/** `givenUp`: it will not come back, and its instances are released without it. */
export const useRemoveServer = () =>
  useComputeChange(({ id, givenUp }: { id: string; givenUp: boolean }) =>
    unwrap(
      portal.DELETE("/api/servers/{id}", { params: { path: { id }, query: givenUp ? { givenUp } : {} } }),
    ),
  );

export const useCheckServer = () =>
  useComputeChange((id: string) => unwrap(portal.POST("/api/servers/{id}/check", named(id))));

export const useDeclareGpu = () =>
  useComputeChange((body: DeviceGpuForm) => unwrap(portal.POST("/api/gpus", { body })));

/** Several that differ in their number only: all of them or none. */
export const useDeclareEqualGpus = () =>
  useComputeChange((body: Schemas["EqualGpusForm"]) => unwrap(portal.POST("/api/gpus/batch", { body })));

export const useChangeGpu = () =>
  useComputeChange(({ id, change }: { id: string; change: GpuChange }) =>
    unwrap(portal.PUT("/api/gpus/{id}", { ...named(id), body: change })),
  );

export type CardOutage = Schemas["CardOutage"];
export type CardXid = Schemas["CardXid"];

/** Older ones are only counted. */
const SHOWN = { page: 1, size: 50 } as const;

/** When a card was out of order; for administrators. */
export const outagesQuery = (id: string) =>
  queryOptions({
    queryKey: ["gpus", "outages", id],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/gpus/{id}/outages", { params: { path: { id }, query: SHOWN }, signal })),
  });

/** Kernel reports of a card; for administrators. */
export const xidsQuery = (id: string) =>
  queryOptions({
    queryKey: ["gpus", "xids", id],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/gpus/{id}/xids", { params: { path: { id }, query: SHOWN }, signal })),
  });

/** Reads a faulty card on its machine; one that passes is in use again. */
export const useTestGpu = () =>
  useComputeChange((id: string) => unwrap(portal.POST("/api/gpus/{id}/test", named(id))));

export const useRemoveGpu = () =>
  useComputeChange((id: string) => unwrap(portal.DELETE("/api/gpus/{id}", named(id))));
