// Sign-ins and changes, for administrators.
import { ADMIN, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/logs/login_log",
    meta: { title: "登录日志", roles: [ADMIN] },
    page: () => import("./LoginLogPage"),
  },
  {
    path: "/logs/operate_log",
    meta: { title: "操作日志", roles: [ADMIN] },
    page: () => import("./OperateLogPage"),
  },
];
