// Converts the features' routes to the router's: one set of routes for visitors, one for each role.
import { type LoaderFunction, type RouteObject, redirect } from "react-router";
import type { AppRoute, Role } from "@/shared/lib/app-route";
import { loadPart } from "@/shared/parts/missing-part";
import { Splash } from "../layout/Splash";
import { PageError } from "./PageError";
import { Root } from "./Root";
import { bumpRefresh } from "./refresh";
import { allRedirects, allRoutes, routesFor } from "./registry";
import { segmentOf } from "./sections";

const home = "/dashboard";

/**
 * A page whose files failed to load fails in its loader: the router shows nothing at all when `lazy` itself fails,
 * while this ends in the page's own error view.
 */
async function load(page: AppRoute["page"]) {
  try {
    const { default: Component, loader } = await loadPart(page);
    return loader ? { Component, loader } : { Component };
  } catch (error) {
    return { Component: Splash, loader: () => Promise.reject(error) };
  }
}

/** The handle of a matched page, for titles, tags and the menu. */
export interface PageHandle {
  route: AppRoute;
}

function toRouteObject(route: AppRoute): RouteObject {
  const { path, page } = route;
  return {
    path,
    handle: { route } satisfies PageHandle,
    ErrorBoundary: PageError,
    lazy: () => load(page),
  };
}

const stands = (route: AppRoute) => Boolean(route.outside || route.anonymous);

/** A URL that only redirects; if it ever stays, it shows the loading state. */
function passage(path: string, loader: LoaderFunction): RouteObject {
  return { path, loader, Component: Splash };
}

/** Redirects to the page with a new key. Only to a path of ours: `//host` would be another site. */
export function refreshTarget(path: string): string {
  return `/${path.replace(/^[/\\]+/, "")}`;
}

function refreshRoute(): RouteObject {
  return passage("/redirect/*", ({ params, request }) => {
    bumpRefresh();
    return redirect(refreshTarget(params["*"] ?? "") + new URL(request.url).search);
  });
}

/** `/users` and the like lead to the first page of theirs that the role has. */
function sectionDefaults(routes: readonly AppRoute[]): RouteObject[] {
  const first = new Map<string, string>();
  for (const { path } of routes.filter((route) => !stands(route))) {
    const segment = segmentOf(path);
    if (!path.includes(":") && !first.has(segment)) first.set(segment, path);
  }
  return Array.from(first)
    .filter(([segment, path]) => path !== `/${segment}` && !path.includes("*"))
    .map(([segment, path]) => passage(`/${segment}`, () => redirect(path)));
}

function declaredRedirects(): RouteObject[] {
  return allRedirects.map(({ path, to }) =>
    passage(path, ({ params, request }) => redirect(to(params["*"] ?? "") + new URL(request.url).search)),
  );
}

/** For visitors without a session: the public pages, and a guard at every other path. */
export function visitorRoutes(guard: LoaderFunction, routes = allRoutes): RouteObject[] {
  return [
    {
      id: "root",
      Component: Root,
      HydrateFallback: Splash,
      ErrorBoundary: PageError,
      children: [
        ...routes
          .filter((route) => route.anonymous)
          .map((route) =>
            route.path === "/login" ? { ...toRouteObject(route), loader: guard } : toRouteObject(route),
          ),
        passage("*", guard),
      ],
    },
  ];
}

/** For a signed-in user: all pages of their role. Built once per session. */
export function roleRoutes(role: Role, keepSession: LoaderFunction, routes = allRoutes): RouteObject[] {
  const own = routesFor(role, routes);
  return [
    {
      id: "root",
      Component: Root,
      HydrateFallback: Splash,
      ErrorBoundary: PageError,
      loader: keepSession,
      // Another tab may have signed out, or in as another user, since the last click.
      shouldRevalidate: () => true,
      children: [
        passage("/", () => redirect(home)),
        passage("/login", () => redirect("/")),
        refreshRoute(),
        ...own.filter((route) => stands(route) && route.path !== "/login").map(toRouteObject),
        {
          id: "layout",
          lazy: () => load(() => import("../layout/Layout")),
          children: own.filter((route) => !stands(route)).map(toRouteObject),
        },
        ...sectionDefaults(own),
        ...declaredRedirects(),
        passage("*", () => redirect(home)),
      ],
    },
  ];
}
