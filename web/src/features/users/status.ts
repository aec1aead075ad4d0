// The states of an account: one table for label, icon, colour and filter.
import type { IconName } from "@/shared/theme/icon-shapes";
import type { StateTone } from "@/shared/ui/StateText";
import type { User } from "./api";

export const states: Record<"active" | "disabled", { label: string; icon: IconName; tone: StateTone }> = {
  active: { label: "启用", icon: "success", tone: "success" },
  disabled: { label: "禁用", icon: "ban", tone: "off" },
};

export const stateOf = (user: Pick<User, "active">) => (user.active ? states.active : states.disabled);

export const roleOptions = [
  { value: "1", label: "管理员" },
  { value: "2", label: "普通用户" },
];

export const sourceOptions = [
  { value: "local", label: "本地" },
  { value: "ldap", label: "LDAP" },
];

export const roleLabel = (role: number) => (role === 1 ? "管理员" : "普通用户");
export const sourceLabel = (source: User["source"]) => (source === "ldap" ? "LDAP" : "本地");

/** Why administrators cannot disable or delete their own account; undefined for others. */
export function selfReason(user: Pick<User, "id">, me: number, verb: "禁用" | "删除"): string | undefined {
  return user.id === me ? `不能${verb}自己的账号` : undefined;
}
