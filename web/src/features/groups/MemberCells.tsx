// How a member looks in the table's columns and on a phone's card.
import type { ReactNode } from "react";
import type { DataColumn } from "@/shared/table/data-table";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import { UserAvatar } from "@/shared/ui/UserAvatar";
import type { GroupMember } from "./api";
import styles from "./MemberCells.module.css";

function MemberName({ member }: { member: GroupMember }) {
  const { name, username, avatar } = member.user;
  return (
    <span className={styles.who}>
      <UserAvatar name={name || username} picture={avatar} />
      <span>
        <b>{name || username}</b> <small>{username}</small>
      </span>
    </span>
  );
}

function MemberState({ active }: { active: boolean }) {
  return active ? (
    <StateText icon="success" tone="success">
      启用
    </StateText>
  ) : (
    <StateText icon="ban" tone="off">
      禁用
    </StateText>
  );
}

const roleOf = (member: GroupMember) => (member.leader ? "组长" : "成员");

export const memberColumns: readonly DataColumn<GroupMember>[] = [
  { key: "user", title: "成员", always: true, render: (member) => <MemberName member={member} /> },
  { key: "leader", title: "身份", render: roleOf },
  { key: "active", title: "账号", render: (member) => <MemberState active={member.active} /> },
  { key: "added", title: "加入时间", render: (member) => <TimeText time={member.added} /> },
];

export function MemberCard({ member, actions }: { member: GroupMember; actions: ReactNode }) {
  return (
    <div className={styles.card}>
      <span className={styles.main}>
        <MemberName member={member} />
        <small>
          {roleOf(member)} · <TimeText time={member.added} /> 加入
        </small>
      </span>
      <MemberState active={member.active} />
      {actions}
    </div>
  );
}
