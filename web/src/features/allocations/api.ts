// The server's data about allocations.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";

type Schemas = components["schemas"];
export type Allocation = Schemas["AllocationView"];
export type AllocationForm = Schemas["AllocationForm"];
export type Subject = Allocation["subject"];

interface AllocationFilter {
  page: number;
  size: number;
  sort: string;
  order: "asc" | "desc";
  server?: string;
  subject?: Subject;
}

export const allocationsQuery = (query: AllocationFilter) =>
  queryOptions({
    queryKey: ["allocations", "list", query],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/allocations", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

/** Pages hold no more. */
const PAGE = 200;

/** All of them, for the matrix. */
export const allAllocationsQuery = queryOptions({
  queryKey: ["allocations", "all"],
  queryFn: async ({ signal }) => {
    const items: Allocation[] = [];
    for (let page = 1; ; page += 1) {
      const query = { page, size: PAGE, sort: "created", order: "asc" } as const;
      const part = await unwrap(portal.GET("/api/allocations", { params: { query }, signal }));
      items.push(...part.items);
      if (part.items.length < PAGE) return items;
    }
  },
});

/** A person who lost a server no longer sees it, nor its cards. */
const affected = ["allocations", "servers", "gpus", "logs"];

const useChange = <Input, Output>(change: (input: Input) => Promise<Output>) =>
  useAffecting(affected, change);

export const useAllocate = () =>
  useChange((body: AllocationForm) => unwrap(portal.POST("/api/allocations", { body })));

export const useReallocate = () =>
  useChange(({ id, body }: { id: string; body: AllocationForm }) =>
    unwrap(portal.PUT("/api/allocations/{id}", { params: { path: { id } }, body })),
  );

export const useEndAllocation = () =>
  useChange((id: string) => unwrap(portal.DELETE("/api/allocations/{id}", { params: { path: { id } } })));
