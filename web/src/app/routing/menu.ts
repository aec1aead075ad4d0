// The side menu, derived from the routes that a role has.
import type { AppRoute } from "@/shared/lib/app-route";
import type { IconName } from "@/shared/theme/icon-shapes";
import { sections, segmentOf } from "./sections";

export interface MenuPage {
  /** The route's pattern, by which the current entry is found. */
  path: string;
  to: string;
  title: string;
  icon?: IconName;
}

export interface MenuGroup {
  segment: string;
  title: string;
  icon?: IconName;
  pages: MenuPage[];
}

export type MenuEntry = { kind: "page"; page: MenuPage } | { kind: "group"; group: MenuGroup };

/** Where a pattern leads: `/netdisk/files/*` is opened as `/netdisk/files/`. */
export const addressOf = (path: string) => path.replace(/\*$/, "");

const pageOf = ({ path, meta }: AppRoute): MenuPage => ({
  path,
  to: addressOf(path),
  title: meta.title,
  icon: meta.icon,
});

export function buildMenu(routes: readonly AppRoute[]): MenuEntry[] {
  const shown = routes.filter(({ meta, outside, anonymous, path }) => {
    return !meta.hidden && !outside && !anonymous && !path.includes(":");
  });
  return sections.flatMap(({ segment, title, icon, hidden, link }): MenuEntry[] => {
    if (link) {
      const has = routes.some(({ path }) => path === link.path);
      return has ? [{ kind: "page", page: { ...link, to: link.path, icon } }] : [];
    }
    const pages = shown.filter((route) => segmentOf(route.path) === segment).map(pageOf);
    if (hidden || pages.length === 0) return [];
    // A group of one page would only be another click.
    if (title === undefined || pages.length === 1)
      return pages.map((page) => ({ kind: "page", page: { ...page, icon: page.icon ?? icon } }));
    return [{ kind: "group", group: { segment, title, icon, pages } }];
  });
}
