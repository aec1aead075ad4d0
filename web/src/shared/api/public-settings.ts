// The public settings, with or without a sign-in: the product's name, links, and the storage host.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { writeLocal } from "@/shared/lib/local-items";
import { portal, unwrap } from "./client";
import type { components } from "./portal";

export type PublicSettings = components["schemas"]["PublicSettings"];

/** Until the settings are loaded, or if they never are. */
export const defaultProductName = "YunLab 云实验室";

let storageHost = "/disk";

/**
 * The storage host, as the portal itself reported it last. Calls with the login token go there and never to the host in
 * local storage: a share's link, which a stranger may have written, stores its own host there.
 */
export const trustedStorageHost = () => storageHost;

async function loadPublicSettings(): Promise<PublicSettings> {
  const settings = await unwrap(portal.GET("/api/settings/public"));
  writeLocal("baseUrl", settings.baseUrl);
  writeLocal("internalBaseUrl", settings.internalBaseUrl);
  writeLocal("publicImageUrl", settings.publicImageUrl);
  writeLocal("storageHost", settings.storageHost);
  writeLocal("minerNotice", settings.minerNotice);
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
