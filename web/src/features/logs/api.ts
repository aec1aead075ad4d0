// The two logs. They are only read here; everything that changes something elsewhere adds to them.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import type { ListParams } from "@/shared/list/use-list-params";

export type LoginLog = components["schemas"]["LoginLog"];
export type OperateLog = components["schemas"]["OperateLog"];

export type LoginFilter = "username" | "ip" | "result" | "from" | "to";
export type OperateFilter = LoginFilter | "action";

/** `from` and `to` are points in time as the API writes them. */
export const loginFilters = ["username", "ip", "result", "from", "to"] as const;
export const operateFilters = ["username", "ip", "action", "result", "from", "to"] as const;

const loginResults = [
  "success",
  "wrong_credentials",
  "disabled",
  "limited",
  "expired",
  "locked",
  "not_admitted",
  "directory_unavailable",
] as const;
const operateResults = ["success", "failure"] as const;

/** In the filter of the login log: refused, whatever the reason. */
export const anyFailure = "failure";

/** A URL may contain anything; words that the API does not know are dropped. */
function known<Word extends string>(words: readonly Word[], text: string | undefined): Word | undefined {
  return words.find((word) => word === text);
}

type Query<Filter extends string> = Pick<ListParams<Filter>, "order" | "q" | "filters">;

function common({ order, q, filters }: Query<LoginFilter>) {
  const { username, ip, from, to } = filters;
  return {
    order,
    ...(q && { q }),
    ...(username && { username }),
    ...(ip && { ip }),
    ...(from && { from }),
    ...(to && { to }),
  };
}

function loginQuery(params: Query<LoginFilter>) {
  const wanted = params.filters.result;
  const result = known(loginResults, wanted);
  return { ...common(params), ...(result && { result }), ...(wanted === anyFailure && { failed: true }) };
}

function operateQuery(params: Query<OperateFilter>) {
  const result = known(operateResults, params.filters.result);
  const { action } = params.filters;
  return { ...common(params), ...(result && { result }), ...(action && { action }) };
}

export function loginLogsQuery(params: ListParams<LoginFilter>) {
  const query = { page: params.page, size: params.size, ...loginQuery(params) };
  return queryOptions({
    queryKey: ["logs", "login", query],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/logs/login", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function operateLogsQuery(params: ListParams<OperateFilter>) {
  const query = { page: params.page, size: params.size, ...operateQuery(params) };
  return queryOptions({
    queryKey: ["logs", "operate", query],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/logs/operate", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** All rows that match the filters, not only the shown page. */
export const exportLoginLogs = (params: Query<LoginFilter>): Promise<Blob> =>
  unwrap(
    portal.GET("/api/logs/login/export", {
      params: { query: loginQuery(params) },
      headers: { accept: "text/csv" },
      parseAs: "blob",
    }),
  );

export const exportOperateLogs = (params: Query<OperateFilter>): Promise<Blob> =>
  unwrap(
    portal.GET("/api/logs/operate/export", {
      params: { query: operateQuery(params) },
      headers: { accept: "text/csv" },
      parseAs: "blob",
    }),
  );
