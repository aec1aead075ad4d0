// The colour scheme of the disk's pages: the account's choice, otherwise the administrators' default. This browser's
// own setting in the settings drawer overrides both.
import { useLayoutEffect } from "react";
import type { components } from "@/shared/api/disk";
import { setPageScheme } from "@/shared/stores/ui";
import type { Scheme } from "@/shared/theme/tokens";
import type { DiskUser } from "./api";

type DiskFeatures = components["schemas"]["PublicSettings"];

function schemeOf(user: DiskUser | undefined, features: DiskFeatures | undefined): Scheme | null {
  // Light is the default, so it does not count as a choice.
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
