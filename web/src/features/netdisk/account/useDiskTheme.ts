// The disk's own colours, on its pages: what somebody chose for their account, else what its administrators chose for
// everybody. What this browser was told in the settings drawer goes before both.
import { useLayoutEffect } from "react";
import type { components } from "@/shared/api/disk";
import { setPageScheme } from "@/shared/stores/ui";
import type { Scheme } from "@/shared/theme/tokens";
import type { DiskUser } from "./api";

type DiskFeatures = components["schemas"]["PublicSettings"];

function schemeOf(user: DiskUser | undefined, features: DiskFeatures | undefined): Scheme | null {
  // Light is what everybody begins with: nobody chose it.
  if (user?.theme === "dark") return "dark";
  const { theme } = features ?? {};
  return theme === "dark" || theme === "light" ? theme : null;
}

export function useDiskTheme(user: DiskUser | undefined, features: DiskFeatures | undefined) {
  const scheme = schemeOf(user, features);
  useLayoutEffect(() => {
    setPageScheme(scheme);
    return () => setPageScheme(null);
  }, [scheme]);
}
