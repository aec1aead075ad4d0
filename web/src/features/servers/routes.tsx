// Servers: the list and their free cards; for administrators also their management.
import { ADMIN, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/servers/server_list",
    meta: { title: "服务器列表" },
    page: () => import("./ServersPage"),
  },
  {
    path: "/servers/server_manage",
    meta: { title: "服务器管理", roles: [ADMIN] },
    page: () => import("./ManagePage"),
  },
  {
    path: "/servers/server_detail/:id",
    meta: { title: "服务器详情", hidden: true },
    page: () => import("./DetailPage"),
  },
];
