// Work orders: users' requests to administrators, and their threads.
import type { AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/profile/worksheet",
    meta: { title: "工单系统", hidden: true, fill: true },
    page: () => import("./WorksheetsPage"),
  },
];
