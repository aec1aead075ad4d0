// The changes of a version: file by file, as far as they are listed.
import { useQuery } from "@tanstack/react-query";
import { Modal } from "antd";
import { useState } from "react";
import { formatSize } from "@/shared/lib/numbers";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { type DatasetVersion, versionQuery } from "./api";
import styles from "./DatasetInfo.module.css";
import { changeLabels } from "./words";

interface DifferenceDialogProps {
  dataset: string;
  version: DatasetVersion | null;
  onClose: () => void;
}

export function DifferenceDialog({ dataset, version, onClose }: DifferenceDialogProps) {
  // The words stay while the dialogue fades out.
  const [last, setLast] = useState(version);
  if (version && version !== last) setLast(version);
  const { data, error, refetch } = useQuery({
    ...versionQuery(dataset, last?.number ?? 0),
    enabled: version !== null,
  });
  if (!last) return null;
  const all = last.added + last.changed + last.removed;
  const files = data?.difference ?? [];
  return (
    <Modal
      open={version !== null}
      title={`版本 v${last.number} 的差异`}
      footer={null}
      width={640}
      onCancel={onClose}
    >
      <p className={styles.small}>
        与上一版本相比：新增 {last.added} · 修改 {last.changed} · 删除 {last.removed}
        {data && all > files.length && `，列出前 ${files.length} 个`}
      </p>
      {!data && error && <ErrorPanel title="差异没有取到" error={error} onRetry={() => void refetch()} />}
      {!data && !error && <TableSkeleton rows={5} rowHeight={32} />}
      {data && files.length === 0 && <span className={styles.none}>内容没有变化</span>}
      {files.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        <ul className={styles.scrolled} aria-label="变化的文件" tabIndex={0}>
          {files.map(({ path, kind, size }) => (
            <li key={path} className={styles.file}>
              <span>
                <strong>{changeLabels[kind]}</strong> {path}
              </span>
              <span className={styles.size}>{formatSize(size)}</span>
            </li>
          ))}
        </ul>
      )}
    </Modal>
  );
}
