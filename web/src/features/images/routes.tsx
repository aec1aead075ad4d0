// Images: the public library, people's own images, and builds.
import { ADMIN, type AppAction, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/images/image_manage",
    meta: { title: "镜像管理" },
    page: () => import("./ImageManagePage"),
  },
  {
    path: "/images/image_show",
    meta: { title: "公共镜像库" },
    page: () => import("./ImageShowPage"),
  },
  {
    path: "/images/image_prepare",
    meta: { title: "准备镜像" },
    page: () => import("./PreparePage"),
  },
  {
    path: "/images/image_info",
    meta: { title: "镜像详情", hidden: true },
    page: () => import("./ImageInfoPage"),
  },
  {
    path: "/images/image_build/:id",
    meta: { title: "构建镜像", roles: [ADMIN], hidden: true },
    page: () => import("./ImageBuildPage"),
  },
];

export const actions: AppAction[] = [
  {
    title: "构建镜像",
    icon: "plus",
    to: "/images/image_build/new",
    roles: [ADMIN],
    words: "build image dockerfile",
  },
];
