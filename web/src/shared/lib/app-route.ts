// What a feature tells the app about its pages. The app alone turns this into routes, menu, titles and tags.
import type { ComponentType } from "react";
import type { LoaderFunction } from "react-router";
import type { IconName } from "@/shared/theme/icon-shapes";

/** The number in the token: 1 is an administrator, anything else an ordinary user. */
export type Role = number;

export const ADMIN: Role = 1;

export interface RouteMeta {
  /** Shown in the menu, the tag, the breadcrumb and the document title. */
  title: string;
  icon?: IconName;
  /** Who has the page at all; left out means every signed-in user. */
  roles?: readonly Role[];
  /** The page starts afresh each time its tag is opened again (never keeps filters of the last visit). */
  noCache?: boolean;
  /** The tag is pinned: always there, never closed. */
  affix?: boolean;
  /** Not in the menu. */
  hidden?: boolean;
  /** The page fills the height and brings its own scrolling; no footer below it. */
  fill?: boolean;
}

export interface PageModule {
  default: ComponentType;
  /** Awaited before the page shows; for what the page cannot render without. */
  loader?: LoaderFunction;
}

export interface AppRoute {
  /** Absolute, as in the address: `/users/user_list`, `/servers/server_detail/:id`, `/netdisk/files/*`. */
  path: string;
  meta: RouteMeta;
  page: () => Promise<PageModule>;
  /** Stands alone, without menu and top bar. */
  outside?: boolean;
  /** Open without a session, and then always outside the layout. */
  anonymous?: boolean;
}

/** An address that only leads to another one, such as `/netdisk` to `/netdisk/files`. */
export interface AppRedirect {
  path: string;
  /** The target, from the part of the address that `*` in `path` stands for. */
  to: (rest: string) => string;
}
