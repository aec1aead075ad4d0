// The user's pending invitations to groups, with the consequences of accepting. Empty without invitations.
import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { personName } from "@/shared/list/people";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import { type GroupInvitation, invitationsQuery, useAcceptInvitation, useDeclineInvitation } from "./api";
import styles from "./Invitations.module.css";

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
      <p className={styles.note}>
        接受后，组长可以看到和停止你的实例，也能看到你以后提交的工单；你设为“组内可见”的镜像和数据集，组里的人都能使用。你可以使用这个组的共享文件夹和分配给它的服务器，并可以随时退出。
      </p>
      <ul aria-label="用户组邀请">
        {data.items.map((invitation) => (
          <Invitation key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Panel>
  );
}

function Invitation({ invitation }: { invitation: GroupInvitation }) {
  const { message } = App.useApp();
  const accept = useAcceptInvitation();
  const decline = useDeclineInvitation();
  const { id, name, description, leaders, memberCount, invitedBy, expires } = invitation;
  const busy = accept.isPending || decline.isPending;
  const onError = (failure: Error) => void message.error(failure.message, 2);
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
        <Button
          type="primary"
          className={styles.button}
          aria-label={`接受 ${name} 的邀请`}
          loading={accept.isPending}
          disabled={busy}
          onClick={() =>
            accept.mutate(id, { onSuccess: () => void message.success(`已加入用户组 ${name}`, 1.5), onError })
          }
        >
          接受
        </Button>
        <Button
          className={styles.button}
          aria-label={`拒绝 ${name} 的邀请`}
          loading={decline.isPending}
          disabled={busy}
          onClick={() =>
            decline.mutate(id, {
              onSuccess: () => void message.success("已拒绝，这个组 7 天内不能再邀请你", 1.5),
              onError,
            })
          }
        >
          拒绝
        </Button>
      </div>
    </li>
  );
}
