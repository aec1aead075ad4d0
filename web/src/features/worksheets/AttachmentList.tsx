// The files of an order or a reply. Each opens on the disk, with its reader's own rights.
import { Tooltip } from "antd";
import { Link } from "react-router";
import { encodePath } from "@/shared/api/disk-client";
import { Icon } from "@/shared/theme/Icon";
import type { WorksheetAttachment } from "@/shared/worksheets/api";
import styles from "./Attachments.module.css";

export function AttachmentList({ files }: { files: readonly WorksheetAttachment[] }) {
  if (files.length === 0) return null;
  return (
    <ul className={styles.list} aria-label="附件">
      {files.map(({ name, path }) => (
        <li key={`${name} ${path}`}>
          {path ? (
            <Link to={`/netdisk/files${encodePath(path)}`} className={styles.file} title={path}>
              <Icon name="attachment" size={14} />
              <span className={styles.name}>{name}</span>
            </Link>
          ) : (
            <Tooltip title="文件在别人的个人目录里，你打不开；请对方放到公共目录或你的目录">
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reaches the reason here */}
              <span className={`${styles.file} ${styles.hidden}`} tabIndex={0}>
                <Icon name="lock" size={14} />
                <span className={styles.name}>{name}</span>
              </span>
            </Tooltip>
          )}
        </li>
      ))}
    </ul>
  );
}
