// The first line of the file browser: the sidebar's switch, the path, how far uploads are, and the one main action.
import { Button } from "antd";
import { Icon } from "@/shared/theme/Icon";
import type { Permit } from "./actions";
import { useDisk } from "./disk-context";
import styles from "./FilesHeader.module.css";
import { PathCrumbs } from "./PathCrumbs";
import { UploadCircle } from "./uploads/UploadCircle";

interface FilesHeaderProps {
  path: string;
  search: string;
  sidebarOpen: boolean;
  onToggleSidebar: () => void;
  upload: Permit;
  onUpload: () => void;
}

export function FilesHeader(props: FilesHeaderProps) {
  const { path, search, sidebarOpen, onToggleSidebar, upload, onUpload } = props;
  const { titleOf } = useDisk();
  const label = sidebarOpen ? "收起侧栏" : "展开侧栏";
  return (
    <header className={styles.header}>
      <Button
        type="text"
        icon={<Icon name="sidePanel" />}
        aria-label={label}
        aria-expanded={sidebarOpen}
        title={label}
        onClick={onToggleSidebar}
      />
      <PathCrumbs path={path} search={search} titleOf={titleOf} />
      <UploadCircle />
      {!upload.hidden && (
        <Button
          type="primary"
          className={styles.upload ?? ""}
          icon={<Icon name="upload" size={14} />}
          disabled={upload.reason !== undefined}
          title={upload.reason}
          onClick={onUpload}
        >
          上传
        </Button>
      )}
    </header>
  );
}
