// Results and actions of the logs: one table for label, icon, colour and filter.
import type { IconName } from "@/shared/theme/icon-shapes";
import type { StateTone } from "@/shared/ui/StateText";

interface Look {
  label: string;
  icon: IconName;
  tone: StateTone;
}

const loginResults: Readonly<Record<string, Look>> = {
  success: { label: "成功", icon: "success", tone: "success" },
  wrong_credentials: { label: "用户名或密码错误", icon: "alert", tone: "error" },
  disabled: { label: "账号已禁用", icon: "ban", tone: "warning" },
  limited: { label: "尝试过多，被限制", icon: "clock", tone: "warning" },
};

const loginActions: Readonly<Record<string, string>> = {
  login: "登录",
  logout: "退出",
};

const operateResults: Readonly<Record<string, Look>> = {
  success: { label: "成功", icon: "success", tone: "success" },
  failure: { label: "失败", icon: "alert", tone: "error" },
};

/** What is done to what, as the server names it. */
const actions: Readonly<Record<string, string>> = {
  "user.create": "新建用户",
  "user.update": "修改用户",
  "user.delete": "删除用户",
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
  "settings.update": "修改设置",
};

/** An action that this version of the page does not know shows as the server calls it. */
export const actionLabel = (action: string): string => actions[action] ?? action;

export const actionOptions = Object.entries(actions).map(([value, label]) => ({ value, label }));

/** A result that this version of the page does not know shows as the server calls it. */
const lookOf = (looks: Readonly<Record<string, Look>>, result: string): Look =>
  looks[result] ?? { label: result, icon: "info", tone: "off" };

export const loginResult = (result: string): Look => lookOf(loginResults, result);
export const operateResult = (result: string): Look => lookOf(operateResults, result);
export const loginAction = (action: string): string => loginActions[action] ?? action;

const optionsOf = (looks: Readonly<Record<string, Look>>) =>
  Object.entries(looks).map(([value, { label }]) => ({ value, label }));

export const loginResultOptions = optionsOf(loginResults);
export const operateResultOptions = optionsOf(operateResults);
