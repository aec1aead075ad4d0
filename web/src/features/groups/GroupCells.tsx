// How a group looks in the table's columns and on a phone's card.
import type { ReactNode } from "react";
import { Link } from "react-router";
import { coresText, countText, gigabytesText } from "@/shared/quotas/quotas";
import type { DataColumn } from "@/shared/table/data-table";
import { TimeText } from "@/shared/ui/TimeText";
import type { Group } from "./api";
import styles from "./GroupCells.module.css";

const unlimited = (count: number) => (count === 0 ? "不限" : countText(count));
const leadersOf = (group: Group) =>
  group.leaders.map(({ name, username }) => name || username).join("、") || "—";

/** The address of a group's members. */
export const membersPath = (group: number) => `/users/groupmember_list?group=${group}`;

const quotas: readonly { title: string; text: (group: Group) => string }[] = [
  { title: "实例", text: (group) => unlimited(group.instanceLimit) },
  { title: "显卡", text: (group) => unlimited(group.GPUNumlimit) },
  { title: "CPU 核", text: (group) => coresText(group.CPUPeriodQuota) },
  { title: "内存 GB", text: (group) => gigabytesText(group.memoryLimit) },
  { title: "网盘 GB", text: (group) => gigabytesText(group.diskQuota) },
];

function GroupName({ group }: { group: Group }) {
  return (
    <span className={styles.name}>
      <b>{group.name}</b>
      {group.description && <small>{group.description}</small>}
    </span>
  );
}

export const groupColumns: readonly DataColumn<Group>[] = [
  {
    key: "name",
    title: "用户组",
    sort: "name",
    always: true,
    render: (group) => <GroupName group={group} />,
  },
  { key: "leaders", title: "组长", render: leadersOf },
  {
    key: "members",
    title: "成员",
    sort: "memberCount",
    align: "right",
    render: (group) => <Link to={membersPath(group.id)}>{countText(group.memberCount)}</Link>,
  },
  ...quotas.map(
    ({ title, text }): DataColumn<Group> => ({ key: title, title, align: "right", render: text }),
  ),
  { key: "folder", title: "共享文件夹", optional: true, render: (group) => group.folder },
  {
    key: "created",
    title: "创建时间",
    sort: "created",
    render: (group) => <TimeText time={group.created} />,
  },
];

export function GroupCard({ group, actions }: { group: Group; actions: ReactNode }) {
  return (
    <div>
      <div className={styles.cardHead}>
        <GroupName group={group} />
        {actions}
      </div>
      <div className={styles.facts}>
        组长 {leadersOf(group)} · <Link to={membersPath(group.id)}>成员 {countText(group.memberCount)}</Link>
      </div>
      <dl className={styles.quotas}>
        {quotas.map(({ title, text }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{text(group)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
