// The network disk: files and folders of one's own, of one's groups and of everybody.

import { lazy } from "react";
import { encodePath } from "@/shared/api/disk-client";
import type { AppRedirect, AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/netdisk/files/*",
    meta: { title: "网盘", icon: "folder", affix: true, fill: true },
    page: () => import("./FilesPage"),
  },
];

/** Uploads go on while other pages are visited, and are seen there. */
export const docks = [
  lazy(() => import("./uploads/TransferDock").then(({ TransferDock }) => ({ default: TransferDock }))),
];

export const redirects: AppRedirect[] = [
  { path: "/netdisk", to: () => "/netdisk/files/" },
  // `rest` comes decoded.
  { path: "/netdisk/*", to: (rest) => `/netdisk/files/${encodePath(rest)}` },
];
