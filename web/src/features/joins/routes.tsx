// Adding a server by one command, or by hand, for administrators.
import { ADMIN, type AppAction, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/servers/server_join",
    meta: { title: "添加服务器", roles: [ADMIN], hidden: true },
    page: () => import("./JoinPage"),
  },
];

export const actions: AppAction[] = [
  {
    title: "添加服务器",
    icon: "plus",
    to: "/servers/server_join",
    roles: [ADMIN],
    words: "new server add 接入 机器",
  },
];
