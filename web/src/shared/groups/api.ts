// A person's own invitations to groups, and leaving a group.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";
import { noticesKey } from "@/shared/notices/api";

export type GroupInvitation = components["schemas"]["GroupInvitation"];

/**
 * Below the notices' key: the portal broadcasts that these changed when a person is invited or an invitation is
 * withdrawn.
 */
export const invitationsQuery = queryOptions({
  queryKey: [noticesKey, "group-invitations"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/profile/group-invitations", { signal })),
});

/** Queries that depend on memberships. */
const affected = [noticesKey, "groups", "users", "images", "datasets", "servers", "dashboard"];

export const useAcceptInvitation = () =>
  useAffecting(affected, (id: number) =>
    unwrap(portal.POST("/api/profile/group-invitations/{id}/accept", { params: { path: { id } } })),
  );

export const useDeclineInvitation = () =>
  useAffecting([noticesKey], (id: number) =>
    unwrap(portal.POST("/api/profile/group-invitations/{id}/decline", { params: { path: { id } } })),
  );

export const useLeaveGroup = () =>
  useAffecting(
    affected,
    (id: number) => unwrap(portal.DELETE("/api/profile/groups/{id}", { params: { path: { id } } })),
    // The group itself cannot be read any more after leaving it.
    ([area, , group], id) => area === "groups" && group === id,
  );
