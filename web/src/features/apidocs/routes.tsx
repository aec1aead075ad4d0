// What scripts may call. Open to everybody: the API is the same for all, and says nothing of what is in a lab.
import type { AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/api/docs",
    meta: { title: "接口文档", hidden: true },
    anonymous: true,
    page: () => import("./ApiDocsPage"),
  },
];
