// People who leave: the plan for what they have, and the progress of each departure. For administrators.
import { ADMIN, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/users/departures",
    meta: { title: "人员离开", roles: [ADMIN] },
    page: () => import("./DeparturesPage"),
  },
  {
    path: "/users/leaving",
    meta: { title: "办理离开", roles: [ADMIN], hidden: true, noCache: true },
    page: () => import("./LeavingPage"),
  },
];
