// The user's pending invitations to groups, with the consequences of accepting. Empty without invitations.
import { useQuery } from "@tanstack/react-query";
import { personName } from "@/shared/list/people";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import { type GroupInvitation, invitationsQuery } from "./api";
import { InvitationButtons } from "./InvitationButtons";
import styles from "./Invitations.module.css";
import { consequencesOfJoining } from "./words";

export function Invitations() {
  const { data, error, refetch, isFetching } = useQuery(invitationsQuery);
  if (!data) {
    if (!error) return null;
    return (
      <Panel label="用户组邀请">
        <ErrorPanel title="用户组邀请没有取到" error={error} onRetry={() => void refetch()} />
      </Panel>
    );
  }
  if (data.items.length === 0) return null;
  return (
    <Panel title="用户组邀请" label="用户组邀请" padded refreshing={isFetching}>
      <p className={styles.note}>{consequencesOfJoining}</p>
      <ul aria-label="用户组邀请">
        {data.items.map((invitation) => (
          <Invitation key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Panel>
  );
}

function Invitation({ invitation }: { invitation: GroupInvitation }) {
  const { name, description, leaders, memberCount, invitedBy, expires } = invitation;
  return (
    <li className={styles.row}>
      <div className={styles.about}>
        <b>{name}</b>
        {description && <div className={styles.description}>{description}</div>}
        <div className={styles.facts}>
          <span>{invitedBy ? `${personName(invitedBy)} 邀请` : "邀请人的账号已删除"}</span>
          <span>组长 {leaders.map(personName).join("、") || "—"}</span>
          <span>{memberCount.toLocaleString("zh-CN")} 人</span>
          <span>
            有效期至 <TimeText time={expires} />
          </span>
        </div>
      </div>
      <div className={styles.actions}>
        <InvitationButtons invitation={invitation} className={styles.button} />
      </div>
    </li>
  );
}
