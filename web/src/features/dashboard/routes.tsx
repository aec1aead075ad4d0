// The first page after sign-in: what I have, what I may, and for administrators how the whole is doing.
import type { AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/dashboard",
    meta: { title: "首页", icon: "home", affix: true },
    page: () => import("./DashboardPage"),
  },
];
