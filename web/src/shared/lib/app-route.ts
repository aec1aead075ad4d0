// A feature's declaration of its pages. Only the app turns it into routes, menu, titles and tags.
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
  /** Roles that have the page; by default every signed-in user. */
  roles?: readonly Role[];
  /** The page starts afresh each time its tag is opened again (never keeps filters of the last visit). */
  noCache?: boolean;
  /** The tag is pinned: always there, never closed. */
  affix?: boolean;
  /** Not in the menu. */
  hidden?: boolean;
  /** Whether the search over everything has it: usually what the menu has. */
  findable?: boolean;
  /** The page fills the height and brings its own scrolling; no footer below it. */
  fill?: boolean;
}

/** Something that a feature lets people do, for the search over everything: a page with the form open. */
export interface AppAction {
  /** A short command, such as 新建用户. */
  title: string;
  icon: IconName;
  to: string;
  /** Roles that may do it; by default every signed-in user. */
  roles?: readonly Role[];
  /** Other words by which it is looked for. */
  words?: string;
}

export interface PageModule {
  default: ComponentType;
  /** Awaited before the page is shown; for data that the page cannot render without. */
  loader?: LoaderFunction;
}

export interface AppRoute {
  /** Absolute, as in the address: `/users/user_list`, `/servers/server_detail/:id`, `/netdisk/files/*`. */
  path: string;
  meta: RouteMeta;
  page: () => Promise<PageModule>;
  /** Shown without menu and top bar. */
  outside?: boolean;
  /** Open without a session, and then always outside the layout. */
  anonymous?: boolean;
}

/** A path that only redirects to another one, such as `/netdisk` to `/netdisk/files`. */
export interface AppRedirect {
  path: string;
  /** The target, computed from the part of the path that `*` matches. */
  to: (rest: string) => string;
}
