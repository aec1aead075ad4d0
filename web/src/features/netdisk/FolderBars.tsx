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
  /** For what is switched on and off. */
  pressed?: boolean;
  onClick: () => void;
  children: string;
}

/** Closed ones say why; on a phone only the icon is seen. */
function BarButton({ icon, permit, danger = false, pressed, onClick, children }: BarButtonProps) {
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
        aria-pressed={pressed}
        color={pressed ? "primary" : undefined}
        variant={pressed ? "filled" : undefined}
        onClick={onClick}
      >
        <span className={styles.words}>{children}</span>
      </Button>
    </Tooltip>
  );
}

interface FolderBarProps {
  change: Permit;
  /** How many entries are on the clipboard, and why they can't be put here. */
  clipboard: { count: number; permit: Permit } | null;
  multiple: boolean;
  on: {
    newFolder: () => void;
    newFile: () => void;
    paste: () => void;
    refresh: () => void;
    multiple: () => void;
  };
}

const open: Permit = { hidden: false, reason: undefined };

export function FolderBar({ change, clipboard, multiple, on }: FolderBarProps) {
  return (
    <section className={styles.bar} aria-label="文件夹操作">
      <BarButton icon="newFolder" permit={change} onClick={on.newFolder}>
        新建文件夹
      </BarButton>
      <BarButton icon="newFile" permit={change} onClick={on.newFile}>
        新建文件
      </BarButton>
      {clipboard && (
        <BarButton icon="copy" permit={clipboard.permit} onClick={on.paste}>
          {`粘贴 ${clipboard.count} 项`}
        </BarButton>
      )}
      <BarButton icon="check" permit={open} pressed={multiple} onClick={on.multiple}>
        多选
      </BarButton>
      <BarButton icon="refresh" permit={open} onClick={on.refresh}>
        刷新
      </BarButton>
    </section>
  );
}

interface ChosenBarProps {
  items: readonly Item[];
  permits: Permits;
  on: Record<"info" | "clear" | keyof Permits, () => void>;
}

export function ChosenBar({ items, permits, on }: ChosenBarProps) {
  const size = items.reduce((sum, item) => sum + (item.isDir ? 0 : item.size), 0);
  const files = items.some((item) => !item.isDir);
  return (
    <section className={`${styles.bar} ${styles.chosen}`} aria-label="所选项操作">
      <Button
        type="text"
        aria-label="取消选择"
        title="取消选择（Esc）"
        icon={<Icon name="close" size={14} />}
        onClick={on.clear}
      />
      <b className={styles.count} aria-live="polite">
        已选 {items.length} 项
      </b>
      <span className={styles.size}>{files && formatSize(size)}</span>
      <BarButton icon="download" permit={permits.download} onClick={on.download}>
        下载
      </BarButton>
      <BarButton icon="copy" permit={permits.copy} onClick={on.copy}>
        复制
      </BarButton>
      <BarButton icon="move" permit={permits.move} onClick={on.move}>
        移动
      </BarButton>
      <BarButton icon="rename" permit={permits.rename} onClick={on.rename}>
        重命名
      </BarButton>
      <BarButton icon="info" permit={open} onClick={on.info}>
        信息
      </BarButton>
      <BarButton icon="trash" danger permit={permits.remove} onClick={on.remove}>
        删除
      </BarButton>
      <span className={styles.keys}>Ctrl+A 全选　Esc 取消</span>
    </section>
  );
}
