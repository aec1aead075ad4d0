// Backups of the database and of the files, for administrators.
import { ADMIN, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/settings/backups",
    meta: { title: "备份", roles: [ADMIN] },
    page: () => import("./BackupsPage"),
  },
];
