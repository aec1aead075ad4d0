// Background tasks and the clock that they use, for administrators.
import { clockPage } from "@/shared/clock/api";
import { ADMIN, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: clockPage,
    meta: { title: "后台任务", roles: [ADMIN] },
    page: () => import("./DutiesPage"),
  },
];
