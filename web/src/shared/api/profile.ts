// The signed-in person's own account: fetched by the guard, shown and changed on the profile pages.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "./client";
import type { components } from "./portal";
import { asApiError } from "./problem";
import { signedFetch } from "./signed-fetch";
import { readClaims } from "./token";

export type User = components["schemas"]["User"];

export const profileQuery = (id: number) =>
  queryOptions({
    queryKey: ["users", "profile", id],
    queryFn: () => unwrap(portal.GET("/api/users/{id}", { params: { path: { id } } })),
  });

/** The user of a token, on a public page, where an ended session means no user. */
export const visitorQuery = (token: string | null) =>
  queryOptions({
    queryKey: ["visitor", token],
    queryFn: async ({ signal }) => {
      if (token === null) return null;
      const { id } = readClaims(token);
      const fetch = (request: Request) => signedFetch(request, { endedBy: [] });
      const call = portal.GET("/api/users/{id}", { params: { path: { id } }, fetch, signal });
      return unwrap(call).catch((cause: unknown) => {
        const error = asApiError(cause);
        if (error.status === 401 || error.status === 403) return null;
        throw error;
      });
    },
    retry: false,
  });
