// How a user looks in the table's columns and on a phone's card.
import type { ReactNode } from "react";
import { shortTime } from "@/shared/lib/time";
import { coresText, countText, gigabytesText, instanceText } from "@/shared/quotas/quotas";
import type { DataColumn } from "@/shared/table/data-table";
import { QuotaCell } from "@/shared/ui/QuotaCell";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import { UserAvatar } from "@/shared/ui/UserAvatar";
import type { User } from "./api";
import { roleLabel, sourceLabel, stateOf } from "./status";
import styles from "./UserCells.module.css";

function UserName({ user }: { user: User }) {
  const notes = [
    ...(user.groups.length > 0 ? [user.groups.map((group) => group.name).join("、")] : []),
    ...(user.groupLeader || user.groups.some((group) => group.leader) ? ["组长"] : []),
    sourceLabel(user.source),
    ...(user.endsAt ? [`${shortTime(user.endsAt)} 到期`] : []),
    ...(user.temporaryQuotas ? [`临时配额到 ${shortTime(user.temporaryQuotas.until)}`] : []),
  ];
  return (
    <span className={styles.who}>
      <UserAvatar name={user.name || user.username} picture={user.avatar} />
      <span className={styles.words}>
        <span className={styles.line}>
          <b>{user.name || user.username}</b> <small>{user.username}</small>
        </span>
        <small className={styles.line}>{notes.join(" · ")}</small>
      </span>
    </span>
  );
}

function UserState({ user }: { user: User }) {
  const { icon, tone, label } = stateOf(user);
  return (
    <StateText icon={icon} tone={tone}>
      {label}
    </StateText>
  );
}

function UserRole({ user }: { user: User }) {
  if (user.role !== 1) return roleLabel(user.role);
  return <span className={styles.admin}>{roleLabel(user.role)}</span>;
}

const quotas: readonly { title: string; sort?: string; wide?: true; text: (user: User) => string }[] = [
  { title: "实例", sort: "instanceLimit", text: instanceText },
  { title: "显卡", sort: "GPUNumlimit", text: (user) => countText(user.GPUNumlimit) },
  { title: "CPU 核", sort: "CPUPeriodQuota", text: (user) => coresText(user.CPUPeriodQuota) },
  { title: "内存 GB", wide: true, text: (user) => gigabytesText(user.memoryLimit) },
  { title: "网盘 GB", sort: "diskQuota", text: (user) => gigabytesText(user.diskQuota) },
];

export const userColumns: readonly DataColumn<User>[] = [
  { key: "user", title: "用户", sort: "name", always: true, render: (user) => <UserName user={user} /> },
  { key: "active", title: "状态", sort: "active", render: (user) => <UserState user={user} /> },
  { key: "role", title: "角色", sort: "role", render: (user) => <UserRole user={user} /> },
  ...quotas.map(
    ({ title, sort, wide, text }): DataColumn<User> => ({
      key: title,
      title,
      ...(sort && { sort }),
      ...(wide && { wide }),
      align: "right",
      render: (user) => <QuotaCell label={title} text={text(user)} />,
    }),
  ),
  {
    key: "lastLogin",
    title: "最近登录",
    sort: "lastLogin",
    wide: true,
    render: (user) => <TimeText time={user.lastLogin} none="从未" />,
  },
  {
    key: "endsAt",
    title: "账号到期",
    sort: "endsAt",
    optional: true,
    render: (user) => <TimeText time={user.endsAt} none="长期" />,
  },
  {
    key: "created",
    title: "创建时间",
    sort: "created",
    optional: true,
    render: (user) => <TimeText time={user.created} />,
  },
];

export function UserCard({ user, actions }: { user: User; actions: ReactNode }) {
  return (
    <div className={styles.card}>
      <div className={styles.cardHead}>
        <UserName user={user} />
        <UserState user={user} />
        {actions}
      </div>
      <dl className={styles.quotas}>
        {quotas.map(({ title, text }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{text(user)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
