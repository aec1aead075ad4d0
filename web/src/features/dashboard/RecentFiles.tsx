// 最近文件: the last changed files in the user's own folder.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { encodePath } from "@/shared/api/disk-client";
import { relativeTime } from "@/shared/lib/time";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { recentFilesQuery } from "./api";
import styles from "./feed.module.css";

export function RecentFiles({ host }: { host: string }) {
  const files = useQuery(recentFilesQuery(host));
  const { data, error } = files;
  const open = (
    <Link to="/netdisk/files/home/" className={styles.more}>
      我的文件
    </Link>
  );
  return (
    <Panel title="最近文件" extra={open}>
      {data?.length === 0 && <EmptyPanel icon="folder" text="“我的文件”里还没有文件" />}
      {!data && !error && <TableSkeleton rows={3} rowHeight={40} />}
      {!data && error && (
        <ErrorPanel title="最近文件没有取到" error={error} onRetry={() => void files.refetch()} />
      )}
      {data && data.length > 0 && (
        <ul className={styles.feed} aria-label="最近文件">
          {data.map(({ path, name, modified }) => (
            <li key={path}>
              <Link to={`/netdisk/files${encodePath(path)}`} className={styles.row}>
                <Icon name="file" />
                <span className={styles.words}>{name}</span>
                <time className={styles.note} dateTime={modified}>
                  {relativeTime(modified)}
                </time>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
