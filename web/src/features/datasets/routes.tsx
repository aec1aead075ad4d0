// Datasets: data that people share to compute with, and the labels by which they are found.
import { ADMIN, type AppAction, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/dataset/dataset_show",
    meta: { title: "数据集列表" },
    page: () => import("./DatasetShowPage"),
  },
  {
    path: "/dataset/label_manage",
    meta: { title: "标签管理", roles: [ADMIN] },
    page: () => import("./LabelManagePage"),
  },
  {
    path: "/dataset/dataset_info",
    meta: { title: "数据集详情", hidden: true },
    page: () => import("./DatasetInfoPage"),
  },
];

export const actions: AppAction[] = [
  { title: "新建数据集", icon: "plus", to: "/dataset/dataset_show?panel=new", words: "new dataset" },
];
