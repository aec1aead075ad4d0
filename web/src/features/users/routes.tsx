// Accounts: the list that administrators keep.
import { ADMIN, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/users/user_list",
    meta: { title: "用户列表", roles: [ADMIN] },
    page: () => import("./UsersPage"),
  },
];
