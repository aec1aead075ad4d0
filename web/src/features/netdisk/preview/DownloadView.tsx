// A file that the page cannot show: its facts, and a download.
import { Button } from "antd";
import { formatSize } from "@/shared/lib/numbers";
import { fullTime } from "@/shared/lib/time";
import { Icon } from "@/shared/theme/Icon";
import type { Resource } from "../api";
import { kindOf } from "../kinds";
import styles from "./DownloadView.module.css";

interface DownloadViewProps {
  file: Resource;
  /** Why it is not shown. */
  note?: string;
  onDownload: () => void;
}

export function DownloadView({ file, note = "该类型暂不支持在线预览", onDownload }: DownloadViewProps) {
  const { label, icon } = kindOf(file);
  return (
    <div className={styles.file}>
      <Icon name={icon} size={48} className={styles.icon} />
      <p className={styles.facts}>
        {label} · {formatSize(file.size)} · 修改于 {fullTime(file.modified)}
      </p>
      <p className={styles.facts}>{note}</p>
      <Button type="primary" icon={<Icon name="download" size={14} />} onClick={onDownload}>
        下载
      </Button>
    </div>
  );
}
