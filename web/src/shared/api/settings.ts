// The settings of the platform, for administrators: several features have a part of them. What is public of them lies
// under the same key, so a change reaches every page.
import { queryOptions } from "@tanstack/react-query";
import { useAffecting } from "@/shared/list/use-affecting";
import { portal, unwrap } from "./client";
import type { components } from "./portal";

export type Settings = components["schemas"]["Settings"];
export type SettingsUpdate = components["schemas"]["SettingsUpdate"];

export const settingsQuery = queryOptions({
  queryKey: ["settings", "all"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/settings", { signal })),
});

/** A part that is sent is replaced as a whole, one that is left out stays. */
export const useSaveSettings = () =>
  useAffecting(["settings", "logs"], (body: SettingsUpdate) => unwrap(portal.PUT("/api/settings", { body })));
