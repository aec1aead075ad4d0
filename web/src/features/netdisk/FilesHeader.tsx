// The first line of the file browser: the sidebar's switch, the path, how far uploads are, and the one main action.
import { Button } from "antd";
import { Icon } from "@/shared/theme/Icon";
import type { DiskUser } from "./account/api";
import type { Permit } from "./actions";
import { useDisk } from "./disk-context";
import styles from "./FilesHeader.module.css";
import { PathCrumbs } from "./PathCrumbs";
import { SearchBox } from "./search/SearchBox";
import { UploadCircle } from "./uploads/UploadCircle";

type ViewMode = DiskUser["viewMode"];

interface FilesHeaderProps {
  path: string;
  search: string;
  sidebarOpen: boolean;
  onToggleSidebar: () => void;
  /** How the folder is shown; left out where there is nothing to choose. */
  view: ViewMode | undefined;
  onView: (view: ViewMode) => void;
  upload: Permit;
  onUpload: () => void;
}

export function FilesHeader(props: FilesHeaderProps) {
  const { path, search, sidebarOpen, onToggleSidebar, view, onView, upload, onUpload } = props;
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
      <SearchBox />
      <UploadCircle />
      {view && (
        <span className={styles.views}>
          <ViewButton icon="list" label="列表" pressed={view === "list"} onClick={() => onView("list")} />
          <ViewButton icon="grid" label="平铺" pressed={view === "mosaic"} onClick={() => onView("mosaic")} />
        </span>
      )}
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

interface ViewButtonProps {
  icon: "list" | "grid";
  label: string;
  pressed: boolean;
  onClick: () => void;
}

function ViewButton({ icon, label, pressed, onClick }: ViewButtonProps) {
  return (
    <Button
      color={pressed ? "primary" : "default"}
      variant={pressed ? "filled" : "text"}
      icon={<Icon name={icon} />}
      aria-label={label}
      aria-pressed={pressed}
      title={label}
      onClick={onClick}
    />
  );
}
