// The signed-in person's own account: fetched by the guard, shown and changed on the profile pages.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "./client";
import type { components } from "./portal";

export type User = components["schemas"]["User"];

export const profileQuery = (id: number) =>
  queryOptions({
    queryKey: ["users", "profile", id],
    queryFn: () => unwrap(portal.GET("/api/users/{id}", { params: { path: { id } } })),
  });
