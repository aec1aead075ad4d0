// The network disk: files and folders of the user, of their groups and of all users.

import { encodePath } from "@/shared/api/disk-client";
import { ADMIN, type AppRedirect, type AppRoute } from "@/shared/lib/app-route";
import { latePart } from "@/shared/parts/late-part";

export const routes: AppRoute[] = [
  {
    path: "/netdisk/files/*",
    meta: { title: "网盘", icon: "folder", affix: true, fill: true },
    page: () => import("./FilesPage"),
  },
  {
    path: "/settings/netdisk_settings/profile",
    meta: { title: "网盘设置" },
    page: () => import("./settings/ProfileSettingsPage"),
  },
  {
    path: "/settings/netdisk_settings/shares",
    meta: { title: "网盘分享管理", hidden: true },
    page: () => import("./settings/SharesPage"),
  },
  {
    path: "/settings/netdisk_settings/global",
    meta: { title: "网盘全局设置", roles: [ADMIN], hidden: true },
    page: () => import("./settings/GlobalSettingsPage"),
  },
  {
    path: "/settings/netdisk_settings/users",
    meta: { title: "网盘用户", roles: [ADMIN], hidden: true },
    page: () => import("./settings/DiskUsersPage"),
  },
  {
    path: "/settings/netdisk_settings/users/*",
    meta: { title: "网盘用户", roles: [ADMIN], hidden: true },
    page: () => import("./settings/DiskUserPage"),
  },
  {
    path: "/share/*",
    meta: { title: "分享", hidden: true },
    anonymous: true,
    page: () => import("./visitors/SharePage"),
  },
];

/** Uploads go on while other pages are visited, and are seen there; other pages have folders chosen. */
export const docks = [
  latePart(async () => (await import("./prompts/FolderChoiceDock")).FolderChoiceDock, "aside"),
  latePart(async () => (await import("./uploads/TransferDock")).TransferDock, "aside"),
];

export const redirects: AppRedirect[] = [
  { path: "/settings/netdisk_settings", to: () => "/settings/netdisk_settings/profile" },
  { path: "/netdisk", to: () => "/netdisk/files/" },
  // `rest` is already decoded.
  { path: "/netdisk/*", to: (rest) => `/netdisk/files/${encodePath(rest)}` },
];
