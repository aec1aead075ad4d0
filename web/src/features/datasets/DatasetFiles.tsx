// The first entries of a dataset's folder, each with a link into the disk's own pages.
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { Link, useNavigate } from "react-router";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { folderQuery } from "./api";
import styles from "./DatasetInfo.module.css";
import { diskLink } from "./links";

const shown = 15;

interface DatasetFilesProps {
  path: string;
  editable: boolean;
}

export function DatasetFiles({ path, editable }: DatasetFilesProps) {
  const host = useQuery(publicSettingsQuery).data?.storageHost ?? "";
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery({ ...folderQuery(host, path, shown), enabled: host !== "" });
  const folder = diskLink(`${path}/`);
  if (!data)
    return (
      <Panel title="文件" padded>
        {error ? (
          <ErrorPanel title="文件没有取到" error={error} onRetry={() => void refetch()} />
        ) : (
          <TableSkeleton rows={6} rowHeight={36} />
        )}
      </Panel>
    );
  const items = data.items ?? [];
  const total = (data.numDirs ?? 0) + (data.numFiles ?? 0);
  return (
    <Panel title="文件" padded>
      {items.length === 0 ? (
        <EmptyPanel
          icon="folder"
          text="还没有文件"
          note={editable ? "在网盘里把文件拖进这个文件夹" : undefined}
          action={editable && <Button onClick={() => navigate(folder)}>去上传</Button>}
        />
      ) : (
        <ul className={styles.rows} aria-label="文件">
          {items.map(({ name, path: itemPath, isDir, size }) => (
            <li key={name} className={styles.file}>
              <Link to={diskLink(isDir ? `${itemPath}/` : itemPath)}>
                <Icon name={isDir ? "folder" : "file"} size={16} />
                {name}
              </Link>
              {!isDir && <span className={styles.size}>{formatSize(size)}</span>}
            </li>
          ))}
        </ul>
      )}
      {total > items.length && (
        <div className={styles.foot}>
          <Link to={folder}>在网盘中查看全部 {formatCount(total)} 项</Link>
        </div>
      )}
    </Panel>
  );
}
