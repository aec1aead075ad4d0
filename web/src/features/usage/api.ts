// Usage, which the portal adds up every few minutes.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components, paths } from "@/shared/api/portal";
import type { ListParams } from "@/shared/list/use-list-params";
import type { Days } from "./days";

type Schemas = components["schemas"];
export type UsageRow = Schemas["UsageRow"];
export type UsagePoint = Schemas["UsagePoint"];
export type UsageFigures = Schemas["UsageFigures"];

type Query = NonNullable<paths["/api/usage"]["get"]["parameters"]["query"]>;
export type Period = NonNullable<Query["by"]>;
export type Subject = NonNullable<Query["subject"]>;

/** The parameters of a view: users, days, and the grouping of rows. */
export interface UsageView {
  days: Days;
  by: Period;
  subject: Subject;
  person: number | undefined;
  group: number | undefined;
}

type Sorted = Pick<ListParams<never>, "sort" | "order">;

const rowsOf = ({ days, by, subject, person, group }: UsageView, { sort, order }: Sorted): Query => ({
  ...days,
  by,
  subject,
  sort,
  order,
  ...(person !== undefined && { person }),
  ...(group !== undefined && { group }),
});

export function usageQuery(view: UsageView, list: ListParams<never>) {
  const query = { ...rowsOf(view, list), page: list.page, size: list.size };
  return queryOptions({
    queryKey: ["usage", query],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/usage", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

/** All rows, not only the page that is shown. */
export const exportUsage = (view: UsageView, sorted: Sorted): Promise<Blob> =>
  unwrap(
    portal.GET("/api/usage/export", {
      params: { query: rowsOf(view, sorted) },
      headers: { accept: "text/csv" },
      parseAs: "blob",
    }),
  );
