// Sign-ins: the user's own, and, for administrators, those of any user.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";

export type SignIn = components["schemas"]["SignInEntry"];

/** `user` is null for the user's own. */
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

/** All of another user; of the user's own, all but the present one. */
export const useEndAllSignIns = (user: number | null) =>
  useAffecting(["sign-ins"], (_: undefined) =>
    user === null
      ? unwrap(portal.DELETE("/api/profile/sign-ins"))
      : unwrap(portal.DELETE("/api/users/{id}/sign-ins", { params: { path: { id: user } } })),
  );
