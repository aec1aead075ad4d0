// The sizes of growing data, the last deletion, and the files with archived logs.
import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { useState } from "react";
import { asApiError } from "@/shared/api/problem";
import { formatSize } from "@/shared/lib/numbers";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { saveFile } from "@/shared/ui/save-file";
import { TimeText } from "@/shared/ui/TimeText";
import { type ArchiveFile, archivesQuery, fetchArchive, type KeptKind, keptQuery } from "./api";
import styles from "./KeptPanel.module.css";

export function KeptPanel() {
  const { data, error, refetch } = useQuery(keptQuery);
  return (
    <Panel title="现有数据">
      {data ? (
        <ul className={styles.list}>
          {data.map((kind) => (
            <Kept key={kind.name} kind={kind} />
          ))}
        </ul>
      ) : error ? (
        <ErrorPanel title="现有数据没有取到" error={error} onRetry={() => void refetch()} />
      ) : (
        <TableSkeleton rows={6} rowHeight={44} />
      )}
    </Panel>
  );
}

const amount = (count: number) => count.toLocaleString("zh-CN");

function Kept({ kind: { title, days, entries, oldest, ran, removed } }: { kind: KeptKind }) {
  return (
    <li className={styles.row}>
      <span className={styles.title}>
        {title}
        <small>{days === 0 ? "一直保留" : `保留 ${days} 天`}</small>
      </span>
      <span>
        {entries > 0 ? `${amount(entries)} 条` : "—"}
        {oldest && (
          <>
            ，最早 <TimeText time={oldest} />
          </>
        )}
      </span>
      <span className={styles.last}>
        {ran ? (
          <>
            <TimeText time={ran} /> {removed > 0 ? `清理了 ${amount(removed)} 条` : "没有到期的"}
          </>
        ) : (
          "还没有清理过"
        )}
      </span>
    </li>
  );
}

export function ArchivesPanel() {
  const { data, error, refetch } = useQuery(archivesQuery);
  return (
    <Panel title="日志归档文件">
      {data?.length === 0 ? (
        <EmptyPanel icon="log" text="还没有归档文件" note="日志到期清理时，会先写到这里" />
      ) : data ? (
        <ul className={styles.list} aria-label="日志归档文件">
          {data.map((file) => (
            <Archive key={file.name} file={file} />
          ))}
        </ul>
      ) : error ? (
        <ErrorPanel title="归档文件没有取到" error={error} onRetry={() => void refetch()} />
      ) : (
        <TableSkeleton rows={2} rowHeight={44} />
      )}
    </Panel>
  );
}

function Archive({ file: { name, size, written } }: { file: ArchiveFile }) {
  const { message } = App.useApp();
  const [fetching, setFetching] = useState(false);

  async function download() {
    setFetching(true);
    try {
      saveFile(name, await fetchArchive(name));
    } catch (error) {
      message.error(asApiError(error).message, 2);
    } finally {
      setFetching(false);
    }
  }

  return (
    <li className={styles.row}>
      <span className={styles.title}>{name}</span>
      <span>
        {formatSize(size)}，<TimeText time={written} />
      </span>
      <span className={styles.last}>
        <Button size="small" loading={fetching} aria-label={`下载 ${name}`} onClick={() => void download()}>
          下载
        </Button>
      </span>
    </li>
  );
}
