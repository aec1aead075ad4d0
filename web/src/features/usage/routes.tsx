// Usage: the user's own card-hours, for leaders their groups', for administrators all.
import type { AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  { path: "/servers/usage", meta: { title: "用量统计" }, page: () => import("./UsagePage") },
];
