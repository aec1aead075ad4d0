import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import type { components } from "@/shared/api/portal";
import type { User } from "@/shared/api/profile";
import { useAffecting } from "@/shared/list/use-affecting";
import { setSession } from "@/shared/stores/session";

/** Fields that users may change themselves. */
export type OwnData = Pick<User, "name" | "email" | "phone" | "introduction" | "avatar">;

/** Sends only the changes: an administrator may have edited other fields meanwhile. */
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

export type NoticePreferences = components["schemas"]["NoticePreferences"];

/** Which notices leave by mail. */
export const noticePreferencesQuery = queryOptions({
  queryKey: ["notice-preferences"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/profile/notices", { signal })),
});

export const useSetNoticePreferences = () =>
  useAffecting(["notice-preferences"], (mail: NoticePreferences["mail"]) =>
    unwrap(portal.PUT("/api/profile/notices", { body: { mail } })),
  );

/** Queries the update source now. */
export const useCheckUpdate = () =>
  useAffecting(["update"], (_: undefined) => unwrap(portal.GET("/api/update/updateCheck")));

/** Updates to this version, if it is still the latest. */
export const useStartUpdate = () =>
  useAffecting(["update"], (version: string) =>
    unwrap(portal.GET("/api/update/start", { params: { query: { version } } })),
  );

/** Whether an administrator of the disk has locked the user's password. */
export const passwordLockQuery = (host: string, id: number) =>
  queryOptions({
    queryKey: ["netdisk-account", host, id, "password-lock"],
    queryFn: async ({ signal }) => {
      const call = diskClient(host).GET("/api/users/{id}", { params: { path: { id } }, signal });
      return (await askDisk(call)).lockPassword;
    },
    // Without a reachable storage host nothing is locked.
    retry: false,
  });

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
