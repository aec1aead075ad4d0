// When it ends by itself, counted down, and the button for another day: the stop while it runs, the release once it is
// stopped.
import { App, Button } from "antd";
import { type InstanceDetail, useExtend } from "@/shared/compute/api";
import { isStopped } from "@/shared/compute/instance-state";
import { extended, secondsBetween, spanText, whenText } from "@/shared/compute/text";
import { useNow } from "@/shared/lib/use-now";
import { Icon } from "@/shared/theme/Icon";
import styles from "./EndStrip.module.css";

const SECOND = 1000;
/** From then on it is urgent, in seconds. */
const SOON = 3 * 3600;

interface End {
  at: string;
  what: string;
  effect: string;
}

function endOf(instance: InstanceDetail): End | undefined {
  const { stopAt, keepUntil, state } = instance;
  if (state === "running" && stopAt)
    return { at: stopAt, what: "自动停止", effect: "停止后卡归还，容器与文件保留。" };
  if (isStopped(instance) && keepUntil)
    return { at: keepUntil, what: "自动释放", effect: "释放后容器被删除，网盘文件保留。" };
  return undefined;
}

export function EndStrip({ instance, full }: { instance: InstanceDetail; full: boolean }) {
  const end = endOf(instance);
  return end && <Strip end={end} instance={instance} full={full} />;
}

interface StripProps {
  end: End;
  instance: InstanceDetail;
  full: boolean;
}

function Strip({ end: { at, what, effect }, instance, full }: StripProps) {
  const { message } = App.useApp();
  const extend = useExtend();
  const now = useNow(SECOND);
  const left = secondsBetween(now, at);
  const stopped = isStopped(instance);
  const soon = instance.notice != null || left < SOON;

  function more() {
    const stopAt = stopped ? null : extended(instance.stopAt, 24).toISOString();
    extend.mutate(
      { id: instance.id, stopAt },
      {
        onSuccess: (one) => {
          const until = stopped ? one.keepUntil : one.stopAt;
          message.success(until ? `${what}推迟到 ${whenText(until)}` : `不再${what}`, 1.5);
        },
        onError: (error) => message.error(error.fields[0]?.message ?? error.message, 2),
      },
    );
  }

  return (
    <section className={soon ? `${styles.strip} ${styles.soon}` : styles.strip} aria-label={what}>
      <Icon name="clock" />
      <span className={styles.words}>
        将于 <b>{whenText(at, now)}</b> {what}
        {left > 0 && `（还有 ${spanText(left)}）`}。{effect}
      </span>
      {full && (
        <Button size="small" loading={extend.isPending} onClick={more}>
          {stopped ? "延长保留" : "续 24 小时"}
        </Button>
      )}
    </section>
  );
}
