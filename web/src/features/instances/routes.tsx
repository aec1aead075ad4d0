// Instances: creating one, a single instance's page, and all of them for administrators.
import { ADMIN, type AppAction, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/servers/instance_manage",
    meta: { title: "实例管理", roles: [ADMIN] },
    page: () => import("./ManagePage"),
  },
  {
    path: "/servers/instance_create",
    meta: { title: "创建实例", hidden: true, noCache: true },
    page: () => import("./create/CreatePage"),
  },
  {
    path: "/servers/instance_detail/:id",
    meta: { title: "实例", hidden: true },
    page: () => import("./detail/DetailPage"),
  },
];

export const actions: AppAction[] = [
  { title: "创建实例", icon: "plus", to: "/servers/instance_create", words: "new instance create 开机 新建" },
];
