// Work orders: what people ask administrators for, and the conversation about it.
import type { AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/profile/worksheet",
    meta: { title: "工单系统", hidden: true, fill: true },
    page: () => import("./WorksheetsPage"),
  },
];
