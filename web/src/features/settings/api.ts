// The settings of the platform. What is public of them lies under the same key, so a change reaches every page.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";

export type Settings = components["schemas"]["Settings"];
export type BasicSettings = Settings["basic"];
export type AuthenticationSettings = Settings["authentication"];
export type SettingsUpdate = components["schemas"]["SettingsUpdate"];

export const settingsQuery = queryOptions({
  queryKey: ["settings", "all"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/settings", { signal })),
});

/** A part that is sent is replaced as a whole, one that is left out stays. */
export const useSaveSettings = () =>
  useAffecting(["settings", "logs"], (body: SettingsUpdate) => unwrap(portal.PUT("/api/settings", { body })));
