// Work orders: users' requests to administrators, and their threads.
import type { AppAction, AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/profile/worksheet",
    meta: { title: "工单系统", icon: "ticket", hidden: true, findable: true, fill: true },
    page: () => import("./WorksheetsPage"),
  },
];

export const actions: AppAction[] = [
  {
    title: "提交工单",
    icon: "plus",
    to: "/profile/worksheet?panel=new",
    words: "ticket 申请 配额 报修 求助 反馈",
  },
];
