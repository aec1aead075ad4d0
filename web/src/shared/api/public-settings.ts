// What everybody may know of the settings, signed in or not: the product's name, links, and where files are.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { writeLocal } from "@/shared/lib/local-items";
import { portal, unwrap } from "./client";
import type { components } from "./portal";

export type PublicSettings = components["schemas"]["PublicSettings"];

/** Before the settings have come, and if they never do. */
export const defaultProductName = "YunLab 云实验室";

let storageHost = "/disk";

/**
 * Where files are, as the portal itself said last. Calls that carry the login token go there and never to what the
 * local item holds: a share's link, which anybody may have written, puts its own host into that.
 */
export const trustedStorageHost = () => storageHost;

async function loadPublicSettings(): Promise<PublicSettings> {
  const settings = await unwrap(portal.GET("/api/settings/public"));
  writeLocal("baseUrl", settings.baseUrl);
  writeLocal("internalBaseUrl", settings.internalBaseUrl);
  writeLocal("publicImageUrl", settings.publicImageUrl);
  writeLocal("storageHost", settings.storageHost);
  storageHost = settings.storageHost || storageHost;
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
