// The personal centre: the user's own account, password, and information about the product.
import type { AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/profile/detail",
    meta: { title: "个人资料", hidden: true, findable: true },
    page: () => import("./DetailPage"),
  },
  {
    path: "/profile/password",
    meta: { title: "修改密码", hidden: true, findable: true, noCache: true },
    page: () => import("./PasswordPage"),
  },
  {
    path: "/profile/about",
    meta: { title: "关于", hidden: true, findable: true },
    page: () => import("./AboutPage"),
  },
];
