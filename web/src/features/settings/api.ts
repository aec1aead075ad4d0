// The requests of the settings pages, except those of the settings themselves.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import type { Settings } from "@/shared/api/settings";
import { useAffecting } from "@/shared/list/use-affecting";

export type BasicSettings = Settings["basic"];
export type NetworkSettings = Settings["network"];
export type SpaceSettings = Settings["space"];
export type AuthenticationSettings = Settings["authentication"];
export type LdapSettings = components["schemas"]["LdapSettings"];
export type LdapReport = components["schemas"]["LdapReport"];

/** Tries settings out that need not be saved yet; saves nothing. */
export const useCheckLdap = () =>
  useAffecting(["logs"], (body: components["schemas"]["LdapCheck"]) =>
    unwrap(portal.PUT("/api/settings/authentication/checkLDAP", { body })),
  );

export type RegistrySettings = components["schemas"]["RegistrySettings"];
export type RegistryForm = components["schemas"]["RegistryForm"];

export const registriesQuery = queryOptions({
  queryKey: ["settings", "registries"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/settings/registries", { signal })),
});

/** Sends the whole list. An empty password keeps the stored one. */
export const useSaveRegistries = () =>
  useAffecting(["settings", "logs"], (items: RegistryForm[]) =>
    unwrap(portal.PUT("/api/settings/registries", { body: { items } })),
  );

export type WebhookSettings = components["schemas"]["WebhookSettings"];
export type WebhookForm = components["schemas"]["WebhookForm"];
export type WebhookReport = components["schemas"]["WebhookReport"];

/** Polled every few seconds, because notices are sent while the page is open. */
const noticesMs = 5000;

export const webhookQuery = queryOptions({
  queryKey: ["settings", "webhook"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/settings/webhook", { signal })),
  refetchInterval: noticesMs,
});

/** An omitted secret keeps the stored one. */
export const useSaveWebhook = () =>
  useAffecting(["settings", "logs"], (body: WebhookForm) =>
    unwrap(portal.PUT("/api/settings/webhook", { body })),
  );

/** Sends a message with settings that need not be saved yet; saves nothing. */
export const useTestWebhook = () =>
  useAffecting(["logs"], (body: WebhookForm) => unwrap(portal.POST("/api/settings/webhook/test", { body })));

/** Tries the notices again that were given up. */
export const useRetryNotices = () =>
  useAffecting(["settings", "logs"], () => unwrap(portal.POST("/api/settings/webhook/failed")));

/** Drops the notices that were given up. */
export const useForgetNotices = () =>
  useAffecting(["settings", "logs"], () => unwrap(portal.DELETE("/api/settings/webhook/failed")));

export type MailSettings = components["schemas"]["MailSettings"];
export type MailForm = components["schemas"]["MailForm"];
export type MailReport = components["schemas"]["MailReport"];

export const mailQuery = queryOptions({
  queryKey: ["settings", "mail"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/settings/mail", { signal })),
  refetchInterval: noticesMs,
});

/** An omitted password keeps the stored one. */
export const useSaveMail = () =>
  useAffecting(["settings", "logs", "notice-preferences"], (body: MailForm) =>
    unwrap(portal.PUT("/api/settings/mail", { body })),
  );

/** Sends a mail with settings that need not be saved yet; saves nothing. */
export const useTestMail = () =>
  useAffecting(["logs"], (body: { mail: MailForm; to: string }) =>
    unwrap(portal.POST("/api/settings/mail/test", { body })),
  );

/** Has the mails sent again that were given up. */
export const useRetryMail = () =>
  useAffecting(["settings", "logs"], () => unwrap(portal.POST("/api/settings/mail/failed")));

/** Drops the mails that were given up. */
export const useForgetMail = () =>
  useAffecting(["settings", "logs"], () => unwrap(portal.DELETE("/api/settings/mail/failed")));

export type KeptKind = components["schemas"]["KeptKind"];
export type ArchiveFile = components["schemas"]["ArchiveFile"];
export type AuditState = components["schemas"]["AuditState"];
export type SyslogSettings = components["schemas"]["SyslogSettings"];

export const keptQuery = queryOptions({
  queryKey: ["settings", "kept"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/retention", { signal })),
});

export const archivesQuery = queryOptions({
  queryKey: ["settings", "archives"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/logs/archives", { signal })),
});

/** JSON lines, compressed. */
export const fetchArchive = (name: string): Promise<Blob> =>
  unwrap(portal.GET("/api/logs/archives/{name}", { params: { path: { name } }, parseAs: "blob" }));

/** Polled every few seconds, because rows are sealed and forwarded while the page is open. */
const auditMs = 10_000;

export const auditQuery = queryOptions({
  queryKey: ["settings", "audit"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/audit", { signal })),
  refetchInterval: auditMs,
});

/** Sends a message with settings that need not be saved yet; saves nothing. */
export const useTestSyslog = () =>
  useAffecting(["logs"], (body: SyslogSettings) => unwrap(portal.POST("/api/audit/syslog-test", { body })));
