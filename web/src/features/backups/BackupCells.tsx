// How a backup looks in the table's columns and on a phone's card.
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { spanText } from "@/shared/lib/time";
import type { DataColumn } from "@/shared/table/data-table";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import type { Backup } from "./api";
import styles from "./Backups.module.css";
import { kindLabels, outcomeLooks } from "./status";

function State({ backup: { outcome, error } }: { backup: Backup }) {
  const { label, icon, tone } = outcomeLooks[outcome];
  return (
    <span className={styles.state}>
      <StateText icon={icon} tone={tone}>
        {label}
      </StateText>
      {error && <small>{error}</small>}
    </span>
  );
}

function What({ backup: { file, note, present, encrypted, outcome } }: { backup: Backup }) {
  if (!file) return note || "—";
  return (
    <span className={styles.state}>
      <span className={styles.file}>{file}</span>
      {outcome === "good" && (present === false || encrypted) && (
        <small>{[encrypted && "已加密", present === false && "已删除"].filter(Boolean).join("，")}</small>
      )}
    </span>
  );
}

const took = ({ started, finished, kind }: Backup) =>
  finished && kind === "database" ? spanText(Date.parse(finished) - Date.parse(started)) : "—";

const sizeText = ({ bytes }: Backup) => (bytes > 0 ? formatSize(bytes) : "—");

export const backupColumns: readonly DataColumn<Backup>[] = [
  { key: "started", title: "时间", always: true, render: ({ started }) => <TimeText time={started} full /> },
  { key: "kind", title: "内容", render: ({ kind }) => kindLabels[kind] },
  { key: "state", title: "结果", always: true, render: (backup) => <State backup={backup} /> },
  { key: "what", title: "文件或说明", render: (backup) => <What backup={backup} /> },
  { key: "size", title: "大小", align: "right", render: sizeText },
  {
    key: "rows",
    title: "行数",
    align: "right",
    wide: true,
    render: ({ rows }) => (rows > 0 ? formatCount(rows) : "—"),
  },
  { key: "took", title: "用时", align: "right", render: took },
  { key: "host", title: "机器", optional: true, render: ({ host }) => host || "—" },
];

export function BackupCard({ backup }: { backup: Backup }) {
  return (
    <div className={styles.card}>
      <div className={styles.cardHead}>
        <b>{kindLabels[backup.kind]}</b>
        <TimeText time={backup.started} full />
      </div>
      <State backup={backup} />
      <What backup={backup} />
      {backup.bytes > 0 && <small>{`${sizeText(backup)} · 用时 ${took(backup)}`}</small>}
    </div>
  );
}
