// What everybody may know of the settings, signed in or not: the product's name, links, and where files are.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { writeLocal } from "@/shared/lib/local-items";
import { portal, unwrap } from "./client";
import type { components } from "./portal";

export type PublicSettings = components["schemas"]["PublicSettings"];

/** Before the settings have come, and if they never do. */
export const defaultProductName = "YunLab 云实验室";

async function loadPublicSettings(): Promise<PublicSettings> {
  const settings = await unwrap(portal.GET("/api/settings/public"));
  writeLocal("baseUrl", settings.baseUrl);
  writeLocal("internalBaseUrl", settings.internalBaseUrl);
  writeLocal("publicImageUrl", settings.publicImageUrl);
  writeLocal("storageHost", settings.storageHost);
  return settings;
}

/** Saving the settings invalidates everything below the key `settings`, and so this. */
export const publicSettingsQuery = queryOptions({
  queryKey: ["settings", "public"],
  queryFn: loadPublicSettings,
  staleTime: 5 * 60_000,
});

export function useProductName(): string {
  return useQuery(publicSettingsQuery).data?.productName || defaultProductName;
}
