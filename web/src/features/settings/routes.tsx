// Settings of the platform, for administrators.
import { ADMIN, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/settings/basic_setting",
    meta: { title: "基本设置", roles: [ADMIN] },
    page: () => import("./BasicSettingsPage"),
  },
  {
    path: "/settings/auth_setting",
    meta: { title: "认证设置", roles: [ADMIN] },
    page: () => import("./AuthSettingsPage"),
  },
  {
    path: "/settings/security_setting",
    meta: { title: "安全设置", roles: [ADMIN] },
    page: () => import("./SecuritySettingsPage"),
  },
  {
    path: "/settings/retention_setting",
    meta: { title: "日志与数据保留", roles: [ADMIN] },
    page: () => import("./RetentionSettingsPage"),
  },
];
