// 我的用户组: the user's groups, with a button to leave those that they were not assigned to.
import { Button, Tag } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import type { User } from "@/shared/api/profile";
import { LeaveGroup } from "@/shared/groups/LeaveGroup";
import { stayReason } from "@/shared/groups/origins";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { Panel } from "@/shared/ui/Panel";
import styles from "./GroupsPanel.module.css";

type OwnGroup = User["groups"][number];

export function GroupsPanel({ groups }: { groups: User["groups"] }) {
  const [leaving, setLeaving] = useState<OwnGroup | null>(null);
  const [asking, setAsking] = useState(false);
  return (
    <Panel
      title="我的用户组"
      padded
      extra={groups.length > 0 && <Link to="/users/groupmember_list">组成员</Link>}
    >
      {groups.length === 0 ? (
        <EmptyPanel icon="users" text="还没有加入用户组" note="需要时请联系组长或管理员。" />
      ) : (
        <ul aria-label="我的用户组">
          {groups.map((group) => {
            const reason = stayReason(group.origin);
            return (
              <li key={group.id} className={styles.row}>
                <span className={styles.about}>
                  <Tag variant="filled">
                    {group.name}
                    {group.leader && "（组长）"}
                  </Tag>
                  {reason && <small>{reason}</small>}
                </span>
                <Button
                  type="text"
                  danger
                  className={styles.leave}
                  aria-label={`退出用户组 ${group.name}`}
                  title={reason}
                  disabled={reason !== undefined}
                  onClick={() => {
                    setLeaving(group);
                    setAsking(true);
                  }}
                >
                  退出
                </Button>
              </li>
            );
          })}
        </ul>
      )}
      {leaving && <LeaveGroup open={asking} group={leaving} onClose={() => setAsking(false)} />}
    </Panel>
  );
}
