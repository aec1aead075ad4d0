// The network disk: files and folders of one's own, of one's groups and of everybody.
import type { AppRedirect, AppRoute } from "@/shared/lib/app-route";
import { encodePath } from "./disk-paths";

export const routes: AppRoute[] = [
  {
    path: "/netdisk/files/*",
    meta: { title: "网盘", icon: "folder", affix: true, fill: true },
    page: () => import("./FilesPage"),
  },
];

export const redirects: AppRedirect[] = [
  { path: "/netdisk", to: () => "/netdisk/files/" },
  // `rest` comes decoded.
  { path: "/netdisk/*", to: (rest) => `/netdisk/files/${encodePath(rest)}` },
];
