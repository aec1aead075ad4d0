// Findings of the watch on instances, for administrators.
import { ADMIN, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/servers/finding_list",
    meta: { title: "异常行为", roles: [ADMIN] },
    page: () => import("./FindingsPage"),
  },
];
