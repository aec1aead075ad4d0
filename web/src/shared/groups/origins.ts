// Origins of memberships: the one table of their consequences for leaving.
import type { components } from "@/shared/api/portal";

export type MembershipOrigin = components["schemas"]["MembershipOrigin"];

const reasons: Readonly<Record<MembershipOrigin, string | undefined>> = {
  administrator: "由管理员加入，退出请联系管理员",
  directory: "由目录服务（LDAP）指定，退出请联系管理员",
  invitation: undefined,
  earlier: undefined,
};

/** Why a member cannot leave by themselves. */
export const stayReason = (origin: MembershipOrigin): string | undefined => reasons[origin];
