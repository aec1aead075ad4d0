// A person's own invitations to groups, and leaving one.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";
import { noticesKey } from "@/shared/notices/api";

export type GroupInvitation = components["schemas"]["GroupInvitation"];

/** Below the notices: the portal says that these changed when somebody is invited or an invitation is withdrawn. */
export const invitationsQuery = queryOptions({
  queryKey: [noticesKey, "group-invitations"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/profile/group-invitations", { signal })),
});

/** What a membership shows or hides. */
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
    // The group itself is not there any more for who has left it.
    ([area, , group], id) => area === "groups" && group === id,
  );
