// Groups to choose from in a select. The largest page holds more groups than a lab has.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";

export const groupOptionsQuery = queryOptions({
  queryKey: ["groups", "options"],
  queryFn: async ({ signal }) => {
    const query = { page: 1, size: 200, sort: "name", order: "asc" } as const;
    const { items } = await unwrap(portal.GET("/api/groups", { params: { query }, signal }));
    return items.map(({ id, name }) => ({ value: id, label: name }));
  },
  staleTime: 60_000,
});
