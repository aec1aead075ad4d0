import { useMutation, useQueryClient } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { User } from "@/shared/api/profile";
import { setSession } from "@/shared/stores/session";

/** What people may change of themselves. */
export type OwnData = Pick<User, "name" | "email" | "phone" | "introduction" | "avatar">;

/** Sends only what changed: an administrator may have edited the rest meanwhile. */
export function useChangeProfile(user: User) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (data: OwnData) => {
      const names: (keyof OwnData)[] = ["name", "email", "phone", "introduction", "avatar"];
      const which = names.filter((name) => data[name] !== user[name]);
      const changed = Object.fromEntries(which.map((name) => [name, data[name]]));
      return unwrap(
        portal.PUT("/api/users/{id}", {
          params: { path: { id: user.id } },
          body: { what: "user", which, data: changed },
        }),
      );
    },
    onSuccess: ({ name, avatar, introduction }) => setSession({ name, avatar, introduction }),
    onSettled: () => client.invalidateQueries({ queryKey: ["users"] }),
  });
}

export interface PasswordForm {
  oldPassword: string;
  newPassword: string;
  repeat: string;
}

export function useChangePassword(id: number) {
  return useMutation({
    mutationFn: ({ oldPassword, newPassword }: PasswordForm) =>
      unwrap(
        portal.PUT("/api/users/{id}/passwd", {
          params: { path: { id } },
          body: { oldPassword, newPassword },
        }),
      ),
  });
}
