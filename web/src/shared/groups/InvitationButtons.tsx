// Accepting or declining an invitation to a group.
import { App, Button } from "antd";
import { type GroupInvitation, useAcceptInvitation, useDeclineInvitation } from "./api";

interface InvitationButtonsProps {
  invitation: Pick<GroupInvitation, "id" | "name">;
  className?: string | undefined;
}

export function InvitationButtons({ invitation: { id, name }, className = "" }: InvitationButtonsProps) {
  const { message } = App.useApp();
  const accept = useAcceptInvitation();
  const decline = useDeclineInvitation();
  const busy = accept.isPending || decline.isPending;
  const onError = (failure: Error) => void message.error(failure.message, 2);
  return (
    <>
      <Button
        type="primary"
        className={className}
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
        className={className}
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
    </>
  );
}
