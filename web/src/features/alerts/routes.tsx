// Faults of the lab, for administrators.
import { ADMIN, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/settings/alerts",
    meta: { title: "告警", roles: [ADMIN] },
    page: () => import("./AlertsPage"),
  },
];
