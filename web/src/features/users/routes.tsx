// Accounts: the list that administrators keep.
import { ADMIN, type AppAction, type AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/users/user_list",
    meta: { title: "用户列表", roles: [ADMIN] },
    page: () => import("./UsersPage"),
  },
];

export const actions: AppAction[] = [
  {
    title: "新建用户",
    icon: "plus",
    to: "/users/user_list?panel=new",
    roles: [ADMIN],
    words: "new user 添加 账号 注册",
  },
  {
    title: "批量导入用户",
    icon: "upload",
    to: "/users/user_list?panel=import",
    roles: [ADMIN],
    words: "import users csv",
  },
];
