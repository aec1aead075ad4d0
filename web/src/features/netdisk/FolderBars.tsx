// The second line above a listing: what can be done in the folder, or with what is selected in it.
import { Button, Tooltip } from "antd";
import { formatSize } from "@/shared/lib/numbers";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import type { Permit, Permits } from "./actions";
import type { Item } from "./api";
import styles from "./FolderBars.module.css";

interface BarButtonProps {
  icon: IconName;
  permit: Permit;
  danger?: boolean;
  onClick: () => void;
  children: string;
}

/** Closed ones say why; on a phone only the icon is seen. */
function BarButton({ icon, permit, danger = false, onClick, children }: BarButtonProps) {
  if (permit.hidden) return null;
  const closed = permit.reason !== undefined;
  return (
    <Tooltip title={permit.reason}>
      <Button
        type="text"
        danger={danger}
        className={styles.button ?? ""}
        icon={<Icon name={icon} size={14} />}
        aria-label={children}
        aria-description={permit.reason}
        disabled={closed}
        onClick={onClick}
      >
        <span className={styles.words}>{children}</span>
      </Button>
    </Tooltip>
  );
}

interface FolderBarProps {
  change: Permit;
  onNewFolder: () => void;
  onRefresh: () => void;
}

export function FolderBar({ change, onNewFolder, onRefresh }: FolderBarProps) {
  const open: Permit = { hidden: false, reason: undefined };
  return (
    <section className={styles.bar} aria-label="文件夹操作">
      <BarButton icon="newFolder" permit={change} onClick={onNewFolder}>
        新建文件夹
      </BarButton>
      <BarButton icon="refresh" permit={open} onClick={onRefresh}>
        刷新
      </BarButton>
    </section>
  );
}

interface ChosenBarProps {
  items: readonly Item[];
  permits: Permits;
  onDownload: () => void;
  onRename: () => void;
  onRemove: () => void;
  onClear: () => void;
}

export function ChosenBar({ items, permits, onDownload, onRename, onRemove, onClear }: ChosenBarProps) {
  const size = items.reduce((sum, item) => sum + (item.isDir ? 0 : item.size), 0);
  const files = items.some((item) => !item.isDir);
  return (
    <section className={`${styles.bar} ${styles.chosen}`} aria-label="所选项操作">
      <Button
        type="text"
        aria-label="取消选择"
        title="取消选择（Esc）"
        icon={<Icon name="close" size={14} />}
        onClick={onClear}
      />
      <b className={styles.count} aria-live="polite">
        已选 {items.length} 项
      </b>
      <span className={styles.size}>{files && formatSize(size)}</span>
      <BarButton icon="download" permit={permits.download} onClick={onDownload}>
        下载
      </BarButton>
      <BarButton icon="rename" permit={permits.rename} onClick={onRename}>
        重命名
      </BarButton>
      <BarButton icon="trash" danger permit={permits.remove} onClick={onRemove}>
        删除
      </BarButton>
      <span className={styles.keys}>Ctrl+A 全选　Esc 取消</span>
    </section>
  );
}
