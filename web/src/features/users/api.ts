// Queries and changes of accounts. Every change also affects groups (members), the dashboard (counts) and the logs, so
// all of them are invalidated, also when it failed halfway.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { type ApiError, asApiError } from "@/shared/api/problem";
import { useAffecting } from "@/shared/list/use-affecting";
import type { ListParams } from "@/shared/list/use-list-params";

export type User = components["schemas"]["User"];
export type UserData = components["schemas"]["UserFields"];
/** Only quotas. */
export type QuotaData = Pick<
  UserData,
  "instanceLimit" | "instanceLimitOffset" | "GPUNumlimit" | "CPUPeriodQuota" | "memoryLimit" | "diskQuota"
>;
export type BatchReport = components["schemas"]["BatchResult"];

export type UserFilter = "active" | "role" | "group" | "source";
export type UserListParams = Pick<
  ListParams<UserFilter>,
  "page" | "size" | "sort" | "order" | "q" | "filters"
>;

const isSource = (text: string | undefined): text is User["source"] => text === "local" || text === "ldap";

function userQuery({ page, size, sort, order, q, filters }: UserListParams) {
  return {
    page,
    size,
    sort,
    order,
    ...(q && { q }),
    ...(filters.active && { active: filters.active === "true" }),
    ...(filters.role && { role: Number(filters.role) }),
    ...(filters.group && { group: Number(filters.group) }),
    ...(isSource(filters.source) && { source: filters.source }),
  };
}

export const usersQuery = (params: UserListParams) =>
  queryOptions({
    queryKey: ["users", "list", userQuery(params)],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/users", { params: { query: userQuery(params) }, signal })),
    placeholderData: keepPreviousData,
  });

export const userQueryById = (id: number) =>
  queryOptions({
    queryKey: ["users", "one", id],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/users/{id}", { params: { path: { id } }, signal })),
  });

export type Holdings = components["schemas"]["Holdings"];

/** What these users run and hold, in total. */
export const holdingsQuery = (ids: readonly number[]) =>
  queryOptions({
    queryKey: ["users", "holdings", ids],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/users/holdings", { params: { query: { ids: ids.join(",") } }, signal })),
    // A decision needs the present state.
    staleTime: 0,
  });

async function count(filter: { active?: boolean; role?: number }): Promise<number> {
  const { total } = await unwrap(
    portal.GET("/api/users", { params: { query: { ...filter, page: 1, size: 1 } } }),
  );
  return total;
}

/** The counts of each kind, independent of the list's filters. */
export const userCountsQuery = queryOptions({
  queryKey: ["users", "counts"],
  queryFn: async () => {
    const [active, disabled, admins] = await Promise.all([
      count({ active: true }),
      count({ active: false }),
      count({ role: 1 }),
    ]);
    return { active, disabled, admins };
  },
});

/** What new accounts begin with. */
export const newUserQuery = queryOptions({
  queryKey: ["settings", "all"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/settings", { signal })),
  select: ({ basic, authentication }) => ({
    quotas: basic.defaultQuotas,
    mustChangePassword: authentication.local.changeAfterReset ?? true,
  }),
});

/** Below these keys lies everything that shows accounts. */
const affected = ["users", "groups", "dashboard", "logs"];

const useChange = <Input, Output>(change: (input: Input) => Promise<Output>) =>
  useAffecting(affected, change);

/** `end`: when the account is disabled by itself; null: never. */
const setEnd = (id: number, end: string | null): Promise<User> =>
  unwrap(portal.PUT("/api/users/{id}/end", { params: { path: { id } }, body: { end } }));

export const useCreateUser = () =>
  useChange(async ({ data, end }: { data: UserData; end: string | null }) => {
    const user = await unwrap(portal.POST("/api/users", { body: { what: "user", which: ["all"], data } }));
    return end === null ? user : setEnd(user.id, end);
  });

/** Sends only the named fields; the others stay as they are. */
function update(id: number, data: UserData): Promise<User> {
  return unwrap(
    portal.PUT("/api/users/{id}", {
      params: { path: { id } },
      body: { what: "user", which: Object.keys(data), data },
    }),
  );
}

/** Without `end` the account ends when it did before. */
export const useUpdateUser = () =>
  useChange(async ({ id, data, end }: { id: number; data: UserData; end?: string | null }) => {
    if (Object.keys(data).length > 0) await update(id, data);
    if (end !== undefined) await setEnd(id, end);
  });

export const useSetLeader = () =>
  useChange(({ id, groupLeader }: { id: number; groupLeader: boolean }) =>
    unwrap(portal.PUT("/api/users/groupLeader/{id}", { params: { path: { id } }, body: { groupLeader } })),
  );

export const useSetActive = () =>
  useAffecting(
    [...affected, "instances", "gpus", "servers"],
    (body: { ids: number[]; active: boolean; stopInstances?: boolean }) =>
      unwrap(portal.POST("/api/users/active", { body: { stopInstances: true, ...body } })),
  );

export const useResetPassword = () =>
  useChange(({ id, newPassword }: { id: number; newPassword: string }) =>
    unwrap(portal.PUT("/api/users/{id}/passwd", { params: { path: { id } }, body: { newPassword } })),
  );

export const useBatchCreate = () =>
  useChange((body: components["schemas"]["BatchRequest"]) =>
    unwrap(portal.POST("/api/users/batch", { body })),
  );

export interface EachResult {
  done: User[];
  failed: { user: User; error: ApiError }[];
}

/** Sequentially and independently: a failure does not stop the others, and is reported by name. */
async function forEachUser(
  users: readonly User[],
  change: (user: User) => Promise<unknown>,
): Promise<EachResult> {
  const result: EachResult = { done: [], failed: [] };
  for (const user of users) {
    try {
      await change(user);
      result.done.push(user);
    } catch (error) {
      result.failed.push({ user, error: asApiError(error) });
    }
  }
  return result;
}

/** `until`: then the quotas before return; null: for good. */
export const useAdjustQuotas = () =>
  useChange(({ users, data, until }: { users: readonly User[]; data: QuotaData; until: string | null }) =>
    forEachUser(users, ({ id }) => (until === null ? update(id, data) : grant(id, { ...data, until }))),
  );

const grant = (id: number, body: components["schemas"]["QuotaGrant"]): Promise<User> =>
  unwrap(portal.PUT("/api/users/{id}/temporary-quotas", { params: { path: { id } }, body }));

/** Ends temporary quotas: `keep` makes them permanent, otherwise the earlier ones return. */
export const useEndGrant = () =>
  useChange(({ id, keep }: { id: number; keep: boolean }) =>
    unwrap(portal.DELETE("/api/users/{id}/temporary-quotas", { params: { path: { id }, query: { keep } } })),
  );
