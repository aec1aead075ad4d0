// The first line of the file browser: the sidebar's switch, the path, the progress of uploads, and the main action.
import { Button } from "antd";
import { Icon } from "@/shared/theme/Icon";
import type { DiskUser } from "./account/api";
import type { Permit } from "./actions";
import { useDisk } from "./disk-context";
import { filesAddress } from "./disk-paths";
import styles from "./FilesHeader.module.css";
import { DropLink } from "./operations/DropLink";
import { PathCrumbs } from "./PathCrumbs";
import { SearchBox } from "./search/SearchBox";
import { shellButton } from "./shell/shell-store";
import { UploadCircle } from "./uploads/UploadCircle";

type ViewMode = DiskUser["viewMode"];

interface FilesHeaderProps {
  path: string;
  search: string;
  /** The title of a page that is no folder. */
  here: string | undefined;
  sidebarOpen: boolean;
  onToggleSidebar: () => void;
  /** How the folder is shown; left out where there is nothing to choose. */
  view: ViewMode | undefined;
  onView: (view: ViewMode) => void;
  shell: Permit;
  shellOpen: boolean;
  onShell: () => void;
  upload: Permit;
  onUpload: () => void;
}

export function FilesHeader(props: FilesHeaderProps) {
  const { path, search, here, sidebarOpen, onToggleSidebar, view, onView, upload, onUpload } = props;
  const { shell, shellOpen, onShell } = props;
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
      <PathCrumbs
        path={path}
        home="主目录"
        addressOf={(target) => filesAddress(target) + search}
        titleOf={titleOf}
        here={here}
        step={DropLink}
      />
      {/* What was looked for belongs to the place that is left. */}
      <SearchBox key={path} />
      <UploadCircle />
      {view && (
        <span className={styles.views}>
          <ViewButton icon="list" label="列表" pressed={view === "list"} onClick={() => onView("list")} />
          <ViewButton icon="grid" label="平铺" pressed={view !== "list"} onClick={() => onView("mosaic")} />
        </span>
      )}
      {!shell.hidden && (
        <Button
          id={shellButton}
          className={styles.shell ?? ""}
          color={shellOpen ? "primary" : "default"}
          variant={shellOpen ? "filled" : "text"}
          icon={<Icon name="terminal" />}
          aria-label="命令行"
          aria-pressed={shellOpen}
          aria-description={shell.reason}
          disabled={shell.reason !== undefined}
          title={shell.reason ?? "命令行"}
          onClick={onShell}
        />
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
