// The typed client of the network disk, which may be another host than the portal. Its 403 concerns one file and
// ends no session; its 401 does.
import createClient from "openapi-fetch";
import { readLocal } from "@/shared/lib/local-items";
import type { paths } from "./disk";
import { ApiError } from "./problem";
import { signedFetch } from "./signed-fetch";

export const disk = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request) => signedFetch(request, { forbiddenEndsSession: false }),
});

/** The storage host's address without a slash at its end; `/disk` means this page's own origin. */
export function storageAddress(): string {
  const host = readLocal("storageHost");
  if (!host) throw new ApiError({ status: 0, code: "storage_not_configured", message: "存储服务器未配置" });
  return new URL(host, location.origin).href.replace(/\/+$/, "");
}
