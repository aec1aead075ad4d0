// Results and actions of the logs: one table for label, icon, colour and filter.
import type { IconName } from "@/shared/theme/icon-shapes";
import type { StateTone } from "@/shared/ui/StateText";
import { anyFailure } from "./api";

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
  expired: { label: "账号或密码已过期", icon: "clock", tone: "warning" },
  locked: { label: "账号已锁定", icon: "lock", tone: "warning" },
  not_admitted: { label: "没有平台账号", icon: "ban", tone: "warning" },
  directory_unavailable: { label: "目录服务不可用", icon: "fault", tone: "error" },
};

const loginActions: Readonly<Record<string, string>> = {
  login: "登录",
  logout: "退出",
};

const operateResults: Readonly<Record<string, Look>> = {
  success: { label: "成功", icon: "success", tone: "success" },
  failure: { label: "失败", icon: "alert", tone: "error" },
};

/** A result that this version of the page does not know is shown by the server's word. */
const lookOf = (looks: Readonly<Record<string, Look>>, result: string): Look =>
  looks[result] ?? { label: result, icon: "info", tone: "off" };

export const loginResult = (result: string): Look => lookOf(loginResults, result);
export const operateResult = (result: string): Look => lookOf(operateResults, result);
export const loginAction = (action: string): string => loginActions[action] ?? action;

const optionsOf = (looks: Readonly<Record<string, Look>>) =>
  Object.entries(looks).map(([value, { label }]) => ({ value, label }));

export const loginResultOptions = optionsOf(loginResults).toSpliced(1, 0, {
  value: anyFailure,
  label: "全部失败",
});
export const operateResultOptions = optionsOf(operateResults);
