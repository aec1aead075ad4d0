// Which of the features' pages is shown.
import { generatePath, useMatches } from "react-router";
import type { AppRoute } from "@/shared/lib/app-route";
import { usePageTitles } from "@/shared/stores/page-title";
import { addressOf } from "./menu";

export interface CurrentPage {
  route: AppRoute;
  /** Its path without the query and without the part that `*` matches; one per tag. */
  key: string;
  /** Its own title, or the route's. */
  title: string;
}

const isHandle = (handle: unknown): handle is { route: AppRoute } =>
  typeof handle === "object" && handle !== null && "route" in handle;

export function useCurrentPage(): CurrentPage | null {
  const match = useMatches().at(-1);
  const titles = usePageTitles();
  if (!match || !isHandle(match.handle)) return null;
  const { route } = match.handle;
  const address = addressOf(route.path);
  // `generatePath` removes the trailing slash, which the pinned tag of a splat route has.
  const slash = address.endsWith("/") ? "/" : "";
  const key = generatePath(address, match.params).replace(/\/$/, "") + slash;
  // The pages of a splat route have one tag, each with its own title.
  return { route, key, title: titles[key] ?? titles[match.pathname] ?? route.meta.title };
}
