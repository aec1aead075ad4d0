// HTTPS: the source of the portal's certificate, and the page where users get the lab's CA.
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
