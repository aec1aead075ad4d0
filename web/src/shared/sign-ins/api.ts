// Where somebody is signed in: one's own sign-ins, and, for administrators, anybody's.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";

export type SignIn = components["schemas"]["SignInEntry"];

/** `user` is null for oneself. */
export const signInsQuery = (user: number | null) =>
  queryOptions({
    queryKey: ["sign-ins", user],
    queryFn: ({ signal }) =>
      user === null
        ? unwrap(portal.GET("/api/profile/sign-ins", { signal }))
        : unwrap(portal.GET("/api/users/{id}/sign-ins", { params: { path: { id: user } }, signal })),
  });

export const useEndSignIn = (user: number | null) =>
  useAffecting(["sign-ins"], (id: string) =>
    user === null
      ? unwrap(portal.DELETE("/api/profile/sign-ins/{id}", { params: { path: { id } } }))
      : unwrap(
          portal.DELETE("/api/users/{id}/sign-ins/{sign_in}", {
            params: { path: { id: user, sign_in: id } },
          }),
        ),
  );

/** All of somebody else's; of one's own, all but the one in use. */
export const useEndAllSignIns = (user: number | null) =>
  useAffecting(["sign-ins"], (_: undefined) =>
    user === null
      ? unwrap(portal.DELETE("/api/profile/sign-ins"))
      : unwrap(portal.DELETE("/api/users/{id}/sign-ins", { params: { path: { id: user } } })),
  );
