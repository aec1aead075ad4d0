// Finding people by name out of all of them; the server searches.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";

export type PublicUser = components["schemas"]["PublicUser"];

export const personName = ({ name, username }: Pick<PublicUser, "name" | "username">) =>
  name && name !== username ? `${name} ${username}` : username;

/** `led`: the user and the members of groups that the user leads, instead of all. */
export const peopleQuery = (q: string, led = false) =>
  queryOptions({
    queryKey: ["users", "public", q, led],
    queryFn: ({ signal }) =>
      unwrap(
        portal.GET("/api/users/public", {
          params: { query: { page: 1, size: 20, ...(q && { q }), ...(led && { led }) } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
