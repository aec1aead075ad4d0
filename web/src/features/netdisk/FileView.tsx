// A single file: what it is, and its content as a download.
import { Button } from "antd";
import { formatSize } from "@/shared/lib/numbers";
import { fullTime } from "@/shared/lib/time";
import { Icon } from "@/shared/theme/Icon";
import type { Resource } from "./api";
import { shownName } from "./disk-paths";
import styles from "./FileView.module.css";
import { kindOf } from "./kinds";

export function FileView({ file, onDownload }: { file: Resource; onDownload: () => void }) {
  const { label, icon } = kindOf(file);
  const name = shownName(file.name);
  return (
    <section className={styles.file} aria-label={name}>
      <Icon name={icon} size={48} className={styles.icon} />
      <h2 className={styles.name}>{name}</h2>
      <p className={styles.facts}>
        {label} · {formatSize(file.size)} · 修改于 {fullTime(file.modified)}
      </p>
      <Button type="primary" icon={<Icon name="download" size={14} />} onClick={onDownload}>
        下载
      </Button>
    </section>
  );
}
