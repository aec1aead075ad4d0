// The settings of the platform, for administrators: several features have a part of them. The public part has the same
// key prefix, so a change reaches every page.
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

/** A given part is replaced as a whole, a missing one stays. */
export const useSaveSettings = () =>
  useAffecting(["settings", "logs"], (body: SettingsUpdate) => unwrap(portal.PUT("/api/settings", { body })));
