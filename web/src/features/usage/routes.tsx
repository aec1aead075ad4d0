// Use: the user's own card-hours, for leaders those of their groups, for administrators everybody's.
import type { AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  { path: "/servers/usage", meta: { title: "用量统计" }, page: () => import("./UsagePage") },
];
