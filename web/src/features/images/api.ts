// What only the images' pages ask and change: details, and the work on images. A change here also shows on the pages of servers and instances.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { imagesKey } from "@/shared/images/api";
import type { Visibility } from "@/shared/images/visibility";
import { useAffecting } from "@/shared/list/use-affecting";

type Schemas = components["schemas"];
export type PublicImageInfo = Schemas["PublicImageInfo"];
export type ImageDetail = Schemas["ImageDetail"];
export type ImageJob = Schemas["ImageJob"];
export type Described = ImageDetail["described"];

export const libraryInfoQuery = (image: string) =>
  queryOptions({
    queryKey: [imagesKey, "library-info", image],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/images/public/info", { params: { query: { image } }, signal })),
    retry: false,
  });

export const imageQuery = (id: string) =>
  queryOptions({
    queryKey: [imagesKey, "one", id],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/images/{id}", { params: { path: { id } }, signal })),
  });

const isActive = ({ state }: ImageJob) => state === "queued" || state === "running";

/** Milliseconds between two fetches: while a job runs, and otherwise. */
const lively = 1_500;
const calm = 15_000;

/** The latest jobs; for administrators of all users. */
export const jobsQuery = queryOptions({
  queryKey: [imagesKey, "jobs", "latest"],
  queryFn: ({ signal }) =>
    unwrap(portal.GET("/api/images/jobs", { params: { query: { page: 1, size: 20 } }, signal })),
  refetchInterval: ({ state }) => (state.data?.items.some(isActive) ? lively : calm),
});

/** The servers that the user may use, to choose from. */
export const serverOptionsQuery = queryOptions({
  queryKey: ["servers", "options"],
  queryFn: async ({ signal }) => {
    const query = { page: 1, size: 200, sort: "name", order: "asc" } as const;
    const { items } = await unwrap(portal.GET("/api/servers", { params: { query }, signal }));
    return items.map(({ id, name, state }) => ({
      value: id,
      label: state === "online" ? name : `${name}（不可用）`,
      disabled: state !== "online",
    }));
  },
});

const useChange = <Input, Output>(change: (input: Input) => Promise<Output>) =>
  useAffecting([imagesKey, "logs"], change);

export const usePull = () =>
  useChange((body: { image: string; server: string }) => unwrap(portal.POST("/api/images/pull", { body })));

export const useCancelJob = () =>
  useChange((id: string) => unwrap(portal.DELETE("/api/images/jobs/{id}", { params: { path: { id } } })));

export const useUpdateImage = () =>
  useChange(({ id, body }: { id: string; body: { visibility: Visibility; description: string } }) =>
    unwrap(portal.PUT("/api/images/{id}", { params: { path: { id } }, body })),
  );

/** The space that deleting it would free, and the instances that forbid it. */
export const deletionQuery = (id: string) =>
  queryOptions({
    // Not below the images' key: after the deletion there is nothing to refetch.
    queryKey: ["image-deletion", id],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/images/{id}/deletion", { params: { path: { id } }, signal })),
    gcTime: 0,
  });

export const usePushImage = () =>
  useChange((id: string) => unwrap(portal.POST("/api/images/{id}/push", { params: { path: { id } } })));

export const useDeleteImage = () =>
  useChange((id: string) => unwrap(portal.DELETE("/api/images/{id}", { params: { path: { id } } })));

export type BuildForm = Schemas["BuildForm"];

export const useStartBuild = () =>
  useChange((body: BuildForm) => unwrap(portal.POST("/api/images/builds", { body })));

/** One build; refetched until it has ended. */
export const buildQuery = (id: string) =>
  queryOptions({
    queryKey: [imagesKey, "builds", id],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/images/builds/{id}", { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data && isActive(state.data) ? lively : false),
  });

export const useCancelBuild = () =>
  useChange((id: string) => unwrap(portal.DELETE("/api/images/builds/{id}", { params: { path: { id } } })));
