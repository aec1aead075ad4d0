// What can be done about a notice without leaving it, as long as there is something to be done: an invitation to be
// answered, an end to be put off, a fault to be silenced. What is so now is asked for; the notice may be old.
import { useQuery } from "@tanstack/react-query";
import { App, Button, Flex } from "antd";
import { alertsQuery } from "@/shared/alerts/api";
import { SilenceButton } from "@/shared/alerts/SilenceButton";
import { type InstanceView, myInstancesQuery, useExtend } from "@/shared/compute/api";
import { InstanceActions } from "@/shared/compute/InstanceActions";
import { isStopped } from "@/shared/compute/instance-state";
import { extended, whenText } from "@/shared/compute/text";
import { invitationsQuery } from "@/shared/groups/api";
import { InvitationButtons } from "@/shared/groups/InvitationButtons";
import { consequencesOfJoining } from "@/shared/groups/words";
import { isAdmin, useSession } from "@/shared/stores/session";
import type { Notice } from "./api";
import styles from "./NoticeActs.module.css";

export function NoticeActs({ notice: { kind, object, objectId } }: { notice: Notice }) {
  switch (kind) {
    case "group_invited":
      return <InvitationActs group={Number(objectId)} />;
    case "instance_stopping":
    case "instance_releasing":
      return <EndActs id={objectId} />;
    case "alert_firing":
      return <AlertActs id={objectId} />;
    default:
      return object === "instance" ? <InstanceActs id={objectId} /> : null;
  }
}

/** One of the user's own instances; administrators and leaders are notified of others, which have pages of their own. */
const useOwnInstance = (id: string) => useQuery(myInstancesQuery).data?.items.find((one) => one.id === id);

function InstanceActs({ id }: { id: string }) {
  const instance = useOwnInstance(id);
  return instance && <InstanceActions instance={instance} full />;
}

function InvitationActs({ group }: { group: number }) {
  const invitation = useQuery(invitationsQuery).data?.items.find(({ id }) => id === group);
  if (!invitation) return null;
  return (
    <>
      <p className={styles.note}>{consequencesOfJoining}</p>
      <Flex gap={8}>
        <InvitationButtons invitation={invitation} />
      </Flex>
    </>
  );
}

const hours = 24;

function EndActs({ id }: { id: string }) {
  const instance = useOwnInstance(id);
  if (!instance) return null;
  const { stopAt, keepUntil, state } = instance;
  if (isStopped(instance) && keepUntil) {
    const now = `保留到 ${whenText(keepUntil)}`;
    return <ExtendAct instance={instance} stopAt={null} label="继续保留" now={now} />;
  }
  if (state !== "running" || !stopAt) return null;
  const later = extended(stopAt, hours).toISOString();
  return (
    <ExtendAct
      instance={instance}
      stopAt={later}
      label={`续期 ${hours} 小时`}
      now={`将于 ${whenText(stopAt)} 停止`}
    />
  );
}

interface ExtendActProps {
  instance: InstanceView;
  stopAt: string | null;
  label: string;
  /** What is to come without it. */
  now: string;
}

function ExtendAct({ instance: { id, name, note }, stopAt, label, now }: ExtendActProps) {
  const { message } = App.useApp();
  const extend = useExtend();
  return (
    <Flex gap={8} align="center" wrap>
      <Button
        aria-label={`${label}：${note || name}`}
        loading={extend.isPending}
        onClick={() =>
          extend.mutate(
            { id, stopAt },
            {
              onSuccess: () => void message.success("已续期", 1.5),
              onError: (error) => void message.error(error.message, 2),
            },
          )
        }
      >
        {label}
      </Button>
      <span className={styles.now}>{now}</span>
    </Flex>
  );
}

/** More at once are looked at on their own page. */
const alertsShown = { page: 1, size: 50, sort: "since", order: "desc", state: "firing" } as const;

function AlertActs({ id }: { id: string }) {
  const admin = useSession(isAdmin);
  const alerts = useQuery({ ...alertsQuery(alertsShown), enabled: admin }).data?.items;
  const alert = alerts?.find((one) => one.id === id);
  return alert && <SilenceButton alert={alert} />;
}
