// All pages of all features. A feature takes part by having a `routes.tsx`; nothing else of it is imported here.
import type { ComponentType } from "react";
import { ADMIN, type AppRedirect, type AppRoute, type Role } from "@/shared/lib/app-route";
import { inOrder } from "./sections";

interface FeatureRoutes {
  routes: readonly AppRoute[];
  redirects?: readonly AppRedirect[];
  /** What stands over every page for somebody signed in; loaded after the page. */
  docks?: readonly ComponentType[];
}

const features = Object.values(
  import.meta.glob<FeatureRoutes>("../../features/*/routes.tsx", { eager: true }),
);

export const allRoutes: readonly AppRoute[] = inOrder(features.flatMap((feature) => feature.routes));

export const allRedirects: readonly AppRedirect[] = features.flatMap((feature) => feature.redirects ?? []);

export const allDocks: readonly ComponentType[] = features.flatMap((feature) => feature.docks ?? []);

/** The administrator has every page; others those without a list of roles and those whose list names theirs. */
export function mayOpen(role: Role, route: AppRoute): boolean {
  const { roles } = route.meta;
  return role === ADMIN || roles === undefined || roles.includes(role);
}

export function routesFor(role: Role, routes = allRoutes): AppRoute[] {
  return routes.filter((route) => mayOpen(role, route));
}
