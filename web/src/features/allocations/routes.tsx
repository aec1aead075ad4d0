// Allocations: who may use which servers; for administrators.
import { ADMIN, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/servers/server_allocation",
    meta: { title: "服务器分配", roles: [ADMIN] },
    page: () => import("./AllocationsPage"),
  },
];
