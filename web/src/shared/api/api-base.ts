// The base path of platform calls. It is configurable, but only within this page's own origin: the token must not be
// sent to an address that was typed into a settings form.
import { readLocal } from "@/shared/lib/local-items";

/** Empty, or a path such as `/lab` when a proxy serves the portal below one. */
export function apiBase(configured = readLocal("baseUrl")): string {
  if (!configured) return "";
  try {
    const url = new URL(configured, location.origin);
    return url.origin === location.origin ? url.pathname.replace(/\/+$/, "") : "";
  } catch {
    return "";
  }
}
