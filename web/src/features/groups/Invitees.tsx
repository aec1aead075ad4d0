// Pending invitations of the group; those who may invite may withdraw them. Empty without any.
import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { personName } from "@/shared/list/people";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import { UserAvatar } from "@/shared/ui/UserAvatar";
import { type GroupInvitee, inviteesQuery, useWithdrawInvitation } from "./api";
import styles from "./Invitees.module.css";

export function Invitees({ group }: { group: number }) {
  const { data, error, refetch, isFetching } = useQuery(inviteesQuery(group));
  if (!data) {
    if (!error) return null;
    return (
      <Panel title="待接受的邀请">
        <ErrorPanel title="待接受的邀请没有取到" error={error} onRetry={() => void refetch()} />
      </Panel>
    );
  }
  if (data.items.length === 0) return null;
  return (
    <Panel title="待接受的邀请" extra={`${data.total} 人`} padded refreshing={isFetching}>
      <ul aria-label="待接受的邀请">
        {data.items.map((invitee) => (
          <Invitee key={invitee.user.id} group={group} invitee={invitee} />
        ))}
      </ul>
    </Panel>
  );
}

function Invitee({ group, invitee }: { group: number; invitee: GroupInvitee }) {
  const { message } = App.useApp();
  const withdraw = useWithdrawInvitation();
  const { user, invitedBy, invited, expires } = invitee;
  return (
    <li className={styles.row}>
      <UserAvatar name={user.name || user.username} picture={user.avatar} />
      <span className={styles.about}>
        <b>{personName(user)}</b>
        <small>
          {invitedBy && `${personName(invitedBy)} `}
          <TimeText time={invited} /> 邀请，有效期至 <TimeText time={expires} />
        </small>
      </span>
      <Button
        type="text"
        className={styles.withdraw}
        aria-label={`撤回对 ${user.username} 的邀请`}
        loading={withdraw.isPending}
        onClick={() =>
          withdraw.mutate(
            { group, user: user.id },
            {
              onSuccess: () => void message.success(`已撤回对 ${personName(user)} 的邀请`, 1.5),
              onError: (failure) => void message.error(failure.message, 2),
            },
          )
        }
      >
        撤回
      </Button>
    </li>
  );
}
