// Signing in. Nothing here is below the main layout.
import type { AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/login",
    meta: { title: "登录", hidden: true },
    anonymous: true,
    page: () => import("./LoginPage"),
  },
  {
    path: "/auth-redirect",
    meta: { title: "正在进入", hidden: true },
    anonymous: true,
    page: () => import("./AuthRedirectPage"),
  },
];
