// The latest jobs on images, with their progress. Empty without recent ones.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { App, Button } from "antd";
import { useEffect, useRef } from "react";
import { Link } from "react-router";
import { formatSize } from "@/shared/lib/numbers";
import { useSession } from "@/shared/stores/session";
import { Meter } from "@/shared/ui/Meter";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import { type ImageJob, jobsQuery, useCancelJob } from "./api";
import styles from "./JobsPanel.module.css";
import { jobKinds, jobLooks } from "./job-state";
import { buildLink } from "./links";

/** Number of finished ones that are shown, so that the images stay in sight. */
const shownEnded = 3;

function shownOf(jobs: readonly ImageJob[]): ImageJob[] {
  const active = jobs.filter(({ state }) => jobLooks[state].active);
  const ended = jobs.filter(({ state }) => !jobLooks[state].active);
  return [...active, ...ended.slice(0, shownEnded)];
}

/** A finished job has created or changed an image. */
function useFreshImages(jobs: readonly ImageJob[] | undefined) {
  const client = useQueryClient();
  const active = jobs?.filter(({ state }) => jobLooks[state].active).length;
  const before = useRef(active);
  useEffect(() => {
    if (active !== undefined && before.current !== undefined && active < before.current)
      void client.invalidateQueries({ queryKey: ["images", "list"] });
    before.current = active;
  }, [active, client]);
}

export function JobsPanel() {
  const jobs = useQuery(jobsQuery);
  useFreshImages(jobs.data?.items);
  if (!jobs.data || jobs.data.items.length === 0) return null;
  return (
    <div className={styles.panel}>
      <Panel title="任务">
        {jobs.error && <RefreshFailed error={jobs.error} onRetry={() => void jobs.refetch()} />}
        <ul className={styles.jobs} aria-label="镜像任务">
          {shownOf(jobs.data.items).map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </ul>
      </Panel>
    </div>
  );
}

function JobRow({ job }: { job: ImageJob }) {
  const { id, kind, image, server, owner, state, percent, bytes, error, created } = job;
  const me = useSession((session) => session.id);
  const { message } = App.useApp();
  const cancel = useCancelJob();
  const look = jobLooks[state];
  const name = `${jobKinds[kind]} ${image}`;
  return (
    <li className={styles.job}>
      <div className={styles.head}>
        <span className={styles.name}>
          {kind === "build" ? <Link to={buildLink(id)}>{name}</Link> : name}
        </span>
        <span className={styles.facts}>
          {[server?.name, owner.id !== me && owner.username].filter(Boolean).join(" · ")}{" "}
          <TimeText time={created} />
        </span>
        <StateText icon={look.icon} tone={look.tone}>
          {look.label}
        </StateText>
        {look.active && (
          <Button
            size="small"
            type="text"
            danger
            loading={cancel.isPending}
            aria-label={`取消${name}`}
            onClick={() => cancel.mutate(id, { onError: (problem) => message.error(problem.message, 2) })}
          >
            取消
          </Button>
        )}
      </div>
      {state === "running" && <Progress name={name} percent={percent} bytes={bytes} />}
      {error && <p className={styles.error}>{error}</p>}
    </li>
  );
}

function Progress({ name, percent, bytes }: { name: string; percent?: number | null; bytes: number }) {
  const done = percent ?? undefined;
  const words = [done !== undefined && `${done}%`, bytes > 0 && formatSize(bytes)].filter(Boolean);
  return (
    <div className={styles.progress}>
      {done !== undefined && <Meter label={`${name}的进度`} used={done} limit={100} mine />}
      <span>{words.join(" · ")}</span>
    </div>
  );
}
