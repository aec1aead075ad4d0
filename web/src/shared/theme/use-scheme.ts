// The effective colour scheme: this browser's setting, otherwise the shown page's preference, otherwise the system's.
import { media, useMediaQuery } from "@/shared/lib/use-media-query";
import { useUi } from "@/shared/stores/ui";
import type { Scheme } from "./tokens";

export function useScheme(): Scheme {
  const mode = useUi((ui) => ui.mode);
  const pageScheme = useUi((ui) => ui.pageScheme);
  const systemDark = useMediaQuery(media.dark);
  if (mode !== "system") return mode;
  return pageScheme ?? (systemDark ? "dark" : "light");
}
