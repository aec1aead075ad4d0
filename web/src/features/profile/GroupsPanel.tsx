import { Tag } from "antd";
import { Link } from "react-router";
import type { User } from "@/shared/api/profile";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { Panel } from "@/shared/ui/Panel";
import styles from "./facts.module.css";

export function GroupsPanel({ groups }: { groups: User["groups"] }) {
  return (
    <Panel
      title="我的用户组"
      padded
      extra={groups.length > 0 && <Link to="/users/groupmember_list">组成员</Link>}
    >
      {groups.length === 0 ? (
        <EmptyPanel icon="users" text="还没有加入用户组" note="需要时请联系管理员。" />
      ) : (
        <ul className={styles.list}>
          {groups.map((group) => (
            <li key={group.id}>
              <Tag variant="filled">
                {group.name}
                {group.leader && "（组长）"}
              </Tag>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
