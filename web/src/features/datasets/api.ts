// The server's data about datasets, their versions and labels.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import type { components } from "@/shared/api/portal";
import { isVisibility } from "@/shared/images/visibility";
import { useAffecting } from "@/shared/list/use-affecting";
import type { ListParams } from "@/shared/list/use-list-params";
import { isDatasetType } from "./words";

type Schemas = components["schemas"];
export type Dataset = Schemas["DatasetView"];
export type DatasetDetail = Schemas["DatasetDetail"];
export type DatasetForm = Schemas["DatasetForm"];
export type DatasetChange = Schemas["DatasetChange"];
export type DatasetVersion = Schemas["DatasetVersion"];
export type Label = Schemas["Label"];
export type LabelForm = Schemas["LabelForm"];

/** Below it lies every list of datasets. */
const datasetsKey = "datasets";
/** Key of a single dataset's queries: after its deletion none of them is refetched. */
const datasetKey = "dataset";
const labelsKey = "labels";

/** Milliseconds between two looks while something is being made. */
const lively = 1_500;

type Filters = "type" | "visibility" | "label" | "mine";

export const datasetsQuery = ({ page, size, sort, order, q, filters }: ListParams<Filters>) => {
  const { type, visibility, label, mine } = filters;
  const query = {
    page,
    size,
    sort,
    order,
    ...(q && { q }),
    ...(isDatasetType(type) && { type }),
    ...(isVisibility(visibility) && { visibility }),
    ...(label && { label }),
    ...(mine && { mine: true }),
  };
  return queryOptions({
    queryKey: [datasetsKey, "list", query],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/datasets", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.items.some((dataset) => dataset.state === "preparing") ? lively : false,
  });
};

export const datasetQuery = (id: string) =>
  queryOptions({
    queryKey: [datasetKey, "one", id],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/datasets/{id}", { params: { path: { id } }, signal })),
    // Until its folder is there and was counted once.
    refetchInterval: ({ state: { data } }) =>
      data && (data.state === "preparing" || (data.state === "ready" && data.counted == null))
        ? lively
        : false,
  });

export const versionsQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: [datasetKey, "versions", id, page],
    queryFn: ({ signal }) =>
      unwrap(
        portal.GET("/api/datasets/{id}/versions", {
          params: { path: { id }, query: { page, size: versionsShown } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.items.some((version) => version.state === "preparing") ? lively : false,
  });

export const versionsShown = 10;

export const versionQuery = (id: string, number: number) =>
  queryOptions({
    queryKey: [datasetKey, "version", id, number],
    queryFn: ({ signal }) =>
      unwrap(
        portal.GET("/api/datasets/{id}/versions/{number}", { params: { path: { id, number } }, signal }),
      ),
  });

/** The first entries of its folder, from the storage host. */
export const folderQuery = (storageHost: string, path: string, limit: number) =>
  queryOptions({
    queryKey: [datasetKey, "folder", storageHost, path],
    queryFn: ({ signal }) =>
      askDisk(
        diskClient(storageHost).GET("/api/resources/{path}", {
          params: { path: { path }, query: { limit, sort: "name", asc: true } },
          signal,
        }),
      ),
    retry: false,
  });

export const labelsQuery = queryOptions({
  queryKey: [labelsKey],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/labels", { signal })),
});

const useChange = <Input, Output>(change: (input: Input) => Promise<Output>) =>
  useAffecting([datasetsKey, datasetKey, labelsKey, "logs"], change);

export const useCreateDataset = () =>
  useChange((body: DatasetForm) => unwrap(portal.POST("/api/datasets", { body })));

export const useUpdateDataset = (id: string) =>
  useChange((body: DatasetChange) =>
    unwrap(portal.PUT("/api/datasets/{id}", { params: { path: { id } }, body })),
  );

export const useDeleteDataset = () =>
  useAffecting([datasetsKey, labelsKey, "logs"], (id: string) =>
    unwrap(portal.DELETE("/api/datasets/{id}", { params: { path: { id } } })),
  );

export const useCountDataset = () =>
  useChange((id: string) => unwrap(portal.POST("/api/datasets/{id}/count", { params: { path: { id } } })));

export const useCreateVersion = (id: string) =>
  useChange((body: { note: string }) =>
    unwrap(portal.POST("/api/datasets/{id}/versions", { params: { path: { id } }, body })),
  );

export const useDeleteVersion = (id: string) =>
  useChange((number: number) =>
    unwrap(portal.DELETE("/api/datasets/{id}/versions/{number}", { params: { path: { id, number } } })),
  );

export const useCreateLabel = () =>
  useChange((body: LabelForm) => unwrap(portal.POST("/api/labels", { body })));

export const useUpdateLabel = (id: string) =>
  useChange((body: LabelForm) => unwrap(portal.PUT("/api/labels/{id}", { params: { path: { id } }, body })));

export const useDeleteLabel = () =>
  useChange((id: string) => unwrap(portal.DELETE("/api/labels/{id}", { params: { path: { id } } })));
