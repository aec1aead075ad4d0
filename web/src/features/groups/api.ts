// The server's data about groups and their members. A change here also affects the people (their groups), the dashboard
// (counts) and the logs.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";
import type { ListParams } from "@/shared/list/use-list-params";

export type Group = components["schemas"]["Group"];
export type GroupPayload = components["schemas"]["GroupForm"];
export type GroupMember = components["schemas"]["GroupMember"];
export type GroupInvitee = components["schemas"]["GroupInvitee"];

type Position = Pick<ListParams<never>, "page" | "size" | "sort" | "order" | "q">;

const positionQuery = ({ page, size, sort, order, q }: Position) => ({
  page,
  size,
  sort,
  order,
  ...(q && { q }),
});

export const groupsQuery = (params: Position) =>
  queryOptions({
    queryKey: ["groups", "list", positionQuery(params)],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/groups", { params: { query: positionQuery(params) }, signal })),
    placeholderData: keepPreviousData,
  });

/** All groups that the user may see, to choose one from: all for administrators, otherwise their own. */
export const myGroupsQuery = (q: string) =>
  queryOptions({
    queryKey: ["groups", "mine", q],
    queryFn: ({ signal }) => {
      const query = { page: 1, size: 200, sort: "name", order: "asc", ...(q && { q }) } as const;
      return unwrap(portal.GET("/api/groups", { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });

export const groupQuery = (id: number) =>
  queryOptions({
    queryKey: ["groups", "one", id],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/groups/{id}", { params: { path: { id } }, signal })),
  });

export const membersQuery = (id: number, { page, size, q }: Pick<Position, "page" | "size" | "q">) =>
  queryOptions({
    queryKey: ["groups", "members", id, { page, size, q }],
    queryFn: ({ signal }) => {
      const query = { page, size, ...(q && { q }) };
      return unwrap(portal.GET("/api/groups/{id}/members", { params: { path: { id }, query }, signal }));
    },
    // Of the same group only: another group's people must not be shown under this group's name.
    placeholderData: (previous, query) => (query?.queryKey[2] === id ? previous : undefined),
  });

/** Pending invitations of the group. */
export const inviteesQuery = (id: number) =>
  queryOptions({
    queryKey: ["groups", "invitees", id],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/groups/{id}/invitations", { params: { path: { id } }, signal })),
  });

export type HeldFolder = components["schemas"]["HeldGroupFolder"];

/**
 * Running instances of people who left a group, with its folder; without `group`, of all groups that the user may see.
 */
export const heldFoldersQuery = (group?: number) =>
  queryOptions({
    queryKey: ["groups", "held", group ?? "all"],
    queryFn: ({ signal }) => {
      const query = group === undefined ? {} : { group };
      return unwrap(portal.GET("/api/instances/held-folders", { params: { query }, signal }));
    },
    // It disappears by itself once the instance is stopped.
    refetchInterval: 15_000,
  });

/** Below these keys lies everything that shows groups. */
const affected = ["groups", "users", "dashboard", "logs"];

const useChange = <Input, Output>(change: (input: Input) => Promise<Output>) =>
  useAffecting(affected, change);

export const useCreateGroup = () =>
  useChange((body: GroupPayload) => unwrap(portal.POST("/api/groups", { body })));

export const useUpdateGroup = () =>
  useChange(({ id, body }: { id: number; body: GroupPayload }) =>
    unwrap(portal.PUT("/api/groups/{id}", { params: { path: { id } }, body })),
  );

export const useDeleteGroup = () =>
  useChange((id: number) => unwrap(portal.DELETE("/api/groups/{id}", { params: { path: { id } } })));

export const useAddMembers = () =>
  useChange(({ group, users }: { group: number; users: number[] }) =>
    unwrap(portal.POST("/api/groups/{id}/members", { params: { path: { id: group } }, body: { users } })),
  );

export const useWithdrawInvitation = () =>
  useChange(({ group, user }: { group: number; user: number }) =>
    unwrap(portal.DELETE("/api/groups/{id}/invitations/{user}", { params: { path: { id: group, user } } })),
  );

export const useRemoveMember = () =>
  useChange(({ group, user }: { group: number; user: number }) =>
    unwrap(portal.DELETE("/api/groups/{id}/members/{user}", { params: { path: { id: group, user } } })),
  );

export const useMoveHeldFolder = () =>
  useChange(({ id, endsAt }: { id: string; endsAt: string }) =>
    unwrap(portal.PUT("/api/instances/held-folders/{id}", { params: { path: { id } }, body: { endsAt } })),
  );

export const useEndHeldFolder = () =>
  useAffecting([...affected, "instances"], ({ id, how }: { id: string; how: "restart" | "stop" }) =>
    unwrap(portal.POST("/api/instances/held-folders/{id}/end", { params: { path: { id } }, body: { how } })),
  );

export const useSetLeader = () =>
  useChange(({ group, user, leader }: { group: number; user: number; leader: boolean }) =>
    unwrap(
      portal.PUT("/api/groups/{id}/members/{user}", {
        params: { path: { id: group, user } },
        body: { leader },
      }),
    ),
  );
