// The first page after sign-in: the user's holdings and quotas, and for administrators the lab's state.
import type { AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/dashboard",
    meta: { title: "首页", icon: "home", affix: true },
    page: () => import("./DashboardPage"),
  },
];
