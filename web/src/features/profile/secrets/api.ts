// Credentials of programs: access tokens for the API, app passwords for WebDAV.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";

type Schemas = components["schemas"];
export type AccessToken = Schemas["AccessTokenEntry"];
export type AccessTokenForm = Schemas["AccessTokenForm"];
export type AppPassword = Schemas["AppPassword"];
export type SshKey = Schemas["SshKey"];

export const accessTokensQuery = queryOptions({
  queryKey: ["access-tokens"],
  queryFn: () => unwrap(portal.GET("/api/profile/access-tokens")),
});

export const useCreateAccessToken = () =>
  useAffecting(["access-tokens"], (body: AccessTokenForm) =>
    unwrap(portal.POST("/api/profile/access-tokens", { body })),
  );

export const useDeleteAccessToken = () =>
  useAffecting(["access-tokens"], (id: string) =>
    unwrap(portal.DELETE("/api/profile/access-tokens/{id}", { params: { path: { id } } })),
  );

export const appPasswordsQuery = queryOptions({
  queryKey: ["app-passwords"],
  queryFn: () => unwrap(portal.GET("/api/profile/app-passwords")),
});

export const useCreateAppPassword = () =>
  useAffecting(["app-passwords"], (body: Schemas["AppPasswordForm"]) =>
    unwrap(portal.POST("/api/profile/app-passwords", { body })),
  );

export const useDeleteAppPassword = () =>
  useAffecting(["app-passwords"], (id: string) =>
    unwrap(portal.DELETE("/api/profile/app-passwords/{id}", { params: { path: { id } } })),
  );

export const sshKeysQuery = queryOptions({
  queryKey: ["ssh-keys"],
  queryFn: () => unwrap(portal.GET("/api/profile/ssh-keys")),
});

export const useCreateSshKey = () =>
  useAffecting(["ssh-keys"], (body: Schemas["SshKeyForm"]) =>
    unwrap(portal.POST("/api/profile/ssh-keys", { body })),
  );

export const useDeleteSshKey = () =>
  useAffecting(["ssh-keys"], (id: string) =>
    unwrap(portal.DELETE("/api/profile/ssh-keys/{id}", { params: { path: { id } } })),
  );
