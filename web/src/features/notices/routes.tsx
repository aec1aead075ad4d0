// The user's notices. Reached by the bell, so it has no place in the menu.
import type { AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/notices",
    meta: { title: "通知", icon: "notice", hidden: true, findable: true },
    page: () => import("./NoticesPage"),
  },
];
