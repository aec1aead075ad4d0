// HTTPS: where the portal's certificate comes from, and the page on which everybody gets the lab's CA.
import { ADMIN, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/settings/https",
    meta: { title: "HTTPS", roles: [ADMIN] },
    page: () => import("./HttpsPage"),
  },
  {
    path: "/lab-ca",
    meta: { title: "安装实验室证书", hidden: true },
    anonymous: true,
    page: () => import("./LabCaPage"),
  },
];
