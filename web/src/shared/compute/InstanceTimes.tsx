// How long an instance has been running, and its scheduled stop or release.
import type { InstanceView } from "./api";
import styles from "./InstanceRows.module.css";
import { isStopped, pullPercent } from "./instance-state";
import { memoryText, secondsBetween, spanText, whenText } from "./text";
import { useRunningNow } from "./use-running-now";

export function InstanceTimes({ instance }: { instance: InstanceView }) {
  const { state, started, created, stopAt, keepUntil, notice, pull, idle, server } = instance;
  const now = useRunningNow(state === "running" ? started : undefined);
  const since = started && state === "running" ? `已运行 ${spanText(secondsBetween(started, now))}` : "";
  const begun = `创建于 ${whenText(created, now)}`;
  const pulled =
    state === "preparing" && pull && pullPercent(instance) !== undefined
      ? `${memoryText(pull.current)} / ${memoryText(pull.total)}`
      : "";
  const ahead =
    state === "stopped" && keepUntil
      ? `${whenText(keepUntil, now)} 自动释放`
      : stopAt && state !== "stopped"
        ? stopText(stopAt, Boolean(notice), now)
        : "";
  return (
    <span className={styles.times}>
      {/* How old a stopped one is matters less than until when it is kept. */}
      {!(ahead && state === "stopped") && <span>{pulled || since || begun}</span>}
      {server?.drainAt && !isStopped(instance) && (
        <small className={styles.soon}>{whenText(server.drainAt, now)} 服务器停机维护</small>
      )}
      {idle && <small className={styles.soon}>{idleText(idle, now)}</small>}
      {ahead && <small className={notice ? styles.soon : undefined}>{ahead}</small>}
    </span>
  );
}

function idleText({ since, stopAt }: NonNullable<InstanceView["idle"]>, now: Date): string {
  const idle = `空闲 ${spanText(secondsBetween(since, now))}`;
  return stopAt ? `${idle}，${whenText(stopAt, now)} 停止` : idle;
}

function stopText(stopAt: string, soon: boolean, now: Date): string {
  const left = secondsBetween(now, stopAt);
  return soon && left > 0 ? `${spanText(left)}后停止` : `${whenText(stopAt, now)} 停止`;
}
