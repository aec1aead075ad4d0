// How far the logs are sealed and forwarded.
import { useQuery } from "@tanstack/react-query";
import { Descriptions } from "antd";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { CopyText } from "@/shared/ui/CopyText";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import { usePhone } from "@/shared/ui/usePhone";
import styles from "./AuditPanel.module.css";
import { type AuditState, auditQuery } from "./api";

export function AuditPanel() {
  const { data, error, refetch } = useQuery(auditQuery);
  return (
    <Panel title="日志封存" padded>
      {data ? (
        <Audit now={data} />
      ) : error ? (
        <ErrorPanel title="封存的状态没有取到" error={error} onRetry={() => void refetch()} />
      ) : (
        <TableSkeleton rows={3} rowHeight={40} />
      )}
    </Panel>
  );
}

function Audit({ now }: { now: AuditState }) {
  const phone = usePhone();
  const { lastSeal, file } = now;
  const items = [
    {
      key: "seals",
      label: "封条",
      children: lastSeal ? (
        <span>
          {now.seals.toLocaleString("zh-CN")} 个，最后一个在 <TimeText time={lastSeal.time} full />
        </span>
      ) : (
        "还没有"
      ),
    },
    ...(lastSeal
      ? [
          {
            key: "hash",
            label: "最后的封条",
            children: (
              // Not inside the button: a button's text does not wrap, and the hash is wider than a phone.
              <span className={styles.seal}>
                <code className={styles.hash}>{`${lastSeal.number}:${lastSeal.hash}`}</code>
                <CopyText text={`${lastSeal.number}:${lastSeal.hash}`} label="复制最后的封条" />
              </span>
            ),
          },
        ]
      : []),
    { key: "syslog", label: "syslog", children: <Forwarded now={now.syslog} /> },
    ...(file
      ? [{ key: "file", label: "文件", children: <Forwarded now={now.fileState} place={file} /> }]
      : []),
  ];
  return (
    <>
      <Descriptions
        column={1}
        size="small"
        layout={phone ? "vertical" : "horizontal"}
        styles={{ label: { width: 96 } }}
        items={items}
      />
      <small className={styles.note}>
        抄下最后的封条，以后在服务器上运行 yunlab admin audit verify --expect 就能核对日志是否被改动或截断
      </small>
    </>
  );
}

function Forwarded({ now, place = "" }: { now: AuditState["syslog"]; place?: string }) {
  const { at, waiting, error } = now;
  if (error)
    return (
      <StateText icon="alert" tone="error">
        {`${place && `${place}：`}${error}，还有 ${waiting} 批没有发出`}
      </StateText>
    );
  if (!at && waiting === 0) return place || "没有转发";
  return (
    <span>
      {place && `${place}，`}
      {waiting > 0 ? `还有 ${waiting} 批没有发出` : "已全部发出"}
      {at && (
        <>
          ，最近一次 <TimeText time={at} />
        </>
      )}
    </span>
  );
}
