// All pages of all features. A feature is registered by its `routes.tsx`; nothing else of it is imported here.
import type { ComponentType } from "react";
import { ADMIN, type AppAction, type AppRedirect, type AppRoute, type Role } from "@/shared/lib/app-route";
import { inOrder } from "./sections";

interface FeatureRoutes {
  routes: readonly AppRoute[];
  redirects?: readonly AppRedirect[];
  actions?: readonly AppAction[];
  /** Components over every page for a signed-in user; loaded after the page. */
  docks?: readonly ComponentType[];
}

const features = Object.values(
  import.meta.glob<FeatureRoutes>("../../features/*/routes.tsx", { eager: true }),
);

export const allRoutes: readonly AppRoute[] = inOrder(features.flatMap((feature) => feature.routes));

export const allRedirects: readonly AppRedirect[] = features.flatMap((feature) => feature.redirects ?? []);

export const allActions: readonly AppAction[] = features.flatMap((feature) => feature.actions ?? []);

export const allDocks: readonly ComponentType[] = features.flatMap((feature) => feature.docks ?? []);

/** Administrators have every page; other users those without a list of roles and those whose list has their role. */
export function mayOpen(role: Role, { meta: { roles } }: { meta: { roles?: readonly Role[] } }): boolean {
  return role === ADMIN || roles === undefined || roles.includes(role);
}

export function routesFor(role: Role, routes = allRoutes): AppRoute[] {
  return routes.filter((route) => mayOpen(role, route));
}
