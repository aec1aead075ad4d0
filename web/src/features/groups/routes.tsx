// Groups: the list for administrators, and the members of each group for all users.
import { ADMIN, type AppAction, type AppRoute } from "@/shared/lib/app-route";

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

export const actions: AppAction[] = [
  {
    title: "新建用户组",
    icon: "plus",
    to: "/users/group_list?panel=new",
    roles: [ADMIN],
    words: "new group 添加",
  },
];
