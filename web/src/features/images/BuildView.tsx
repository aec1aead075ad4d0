// One build: its progress, its live log, and its request.
import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { useNavigate } from "react-router";
import { LogView } from "@/shared/logs/LogView";
import { usePageTitle } from "@/shared/stores/page-title";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import { buildQuery, type ImageJob, useCancelBuild } from "./api";
import styles from "./BuildDesk.module.css";
import { type BuildFields, newBuildFields } from "./build-form";
import { jobLooks } from "./job-state";
import { buildLink, manageLink } from "./links";

/** The same build once more, to be changed before. */
function draftOf({ image, server, build }: ImageJob): BuildFields {
  const at = image.lastIndexOf(":");
  return {
    ...newBuildFields,
    server: server?.id,
    // Registry and owner before it are put there by the server.
    repository: image.slice(image.lastIndexOf("/") + 1, at),
    tag: image.slice(at + 1),
    ...(build && {
      source: build.context ? "context" : "dockerfile",
      dockerfile: build.dockerfile ?? "",
      context: build.context ?? "",
      push: build.push,
      noCache: build.noCache,
      visibility: build.visibility,
      description: build.description,
    }),
  };
}

export function BuildView({ id }: { id: string }) {
  const { data: job, error, refetch } = useQuery(buildQuery(id));
  usePageTitle(job && `构建 ${job.image}`);
  const navigate = useNavigate();
  const { message } = App.useApp();
  const cancel = useCancelBuild();
  if (!job)
    return (
      <Panel label="构建镜像">
        {error ? (
          <ErrorPanel title="构建没有取到" error={error} onRetry={() => void refetch()} />
        ) : (
          <TableSkeleton rows={6} rowHeight={32} />
        )}
      </Panel>
    );
  const look = jobLooks[job.state];
  const log = `/api/images/builds/${encodeURIComponent(id)}/log`;
  return (
    <>
      <PageHeader
        named
        title={`构建 ${job.image}`}
        actions={
          <>
            {job.state === "done" && <Button onClick={() => navigate(manageLink)}>查看镜像</Button>}
            {look.active ? (
              <Button
                danger
                icon={<Icon name="stopped" size={14} />}
                loading={cancel.isPending}
                onClick={() => cancel.mutate(id, { onError: (problem) => message.error(problem.message, 2) })}
              >
                取消构建
              </Button>
            ) : (
              <Button
                icon={<Icon name="restart" size={14} />}
                onClick={() => navigate(buildLink(), { state: draftOf(job) })}
              >
                再次构建
              </Button>
            )}
          </>
        }
      />
      <div className={styles.stack}>
        <Panel label="状态" padded>
          <div className={styles.facts}>
            <StateText icon={look.icon} tone={look.tone}>
              {look.label}
            </StateText>
            <span>{job.image}</span>
            <span>服务器 {job.server?.name ?? "（已移除）"}</span>
            <span>{job.owner.username}</span>
            <span>
              提交于 <TimeText time={job.created} full />
            </span>
            {job.error && <span role="alert">{job.error}</span>}
          </div>
        </Panel>
        <Panel title="日志">
          <div className={styles.log}>
            <LogView
              // A waiting build has no log yet; it begins with the build.
              key={job.started ?? "waiting"}
              label="构建日志"
              address={`${log}?follow=true`}
              whole={log}
              fileName={`build-${id}.log`}
            />
          </div>
        </Panel>
        {job.build && (
          <Panel title={job.build.context ? `网盘文件夹 ${job.build.context}` : "Dockerfile"}>
            {job.build.dockerfile && <pre className={styles.source}>{job.build.dockerfile}</pre>}
          </Panel>
        )}
      </div>
    </>
  );
}
