// Adding a server by one command, or by hand, for administrators.
import { ADMIN, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/servers/server_join",
    meta: { title: "添加服务器", roles: [ADMIN], hidden: true },
    page: () => import("./JoinPage"),
  },
];
