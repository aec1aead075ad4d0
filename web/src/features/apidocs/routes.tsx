// The API for scripts. Public: it is the same everywhere, and reveals nothing of a lab.
import type { AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/api/docs",
    meta: { title: "接口文档", hidden: true },
    anonymous: true,
    page: () => import("./ApiDocsPage"),
  },
];
