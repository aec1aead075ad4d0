// Groups: the list that administrators keep, and who is in which group for everybody.
import { ADMIN, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/users/group_list",
    meta: { title: "用户组列表", roles: [ADMIN] },
    page: () => import("./GroupsPage"),
  },
  {
    path: "/users/groupmember_list",
    meta: { title: "组成员" },
    page: () => import("./MembersPage"),
  },
];
