// What the operate log calls things: one table for labels and for the filter.

/** What is done to what, as the server names it. */
const actions: Readonly<Record<string, string>> = {
  "user.create": "新建用户",
  "user.update": "修改用户",
  "user.delete": "删除用户",
  "user.active": "启用或禁用用户",
  "user.enable": "启用用户",
  "user.disable": "禁用用户",
  "user.password": "修改密码",
  "user.quota": "调整配额",
  "group.create": "新建用户组",
  "group.update": "修改用户组",
  "group.delete": "删除用户组",
  "group.add_members": "添加组成员",
  "group.remove_member": "移出组成员",
  "group.set_leader": "设为组长",
  "group.unset_leader": "取消组长",
  "app_password.create": "新建应用密码",
  "app_password.delete": "删除应用密码",
  "settings.update": "修改设置",
  "session.ticket": "取得访问票据",
};

/** An action that this version of the page does not know shows as the server calls it. */
export const actionLabel = (action: string): string => actions[action] ?? action;

export const actionOptions = Object.entries(actions).map(([value, label]) => ({ value, label }));
