// The second line above a listing: actions in the folder, or on the selection.
import { Button, Tooltip } from "antd";
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { RowActions } from "@/shared/table/RowActions";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { usePhone } from "@/shared/ui/usePhone";
import type { Permit, Permits } from "./actions";
import type { Item } from "./api";
import styles from "./FolderBars.module.css";

interface BarButtonProps {
  icon: IconName;
  permit: Permit;
  danger?: boolean;
  /** For toggles. */
  pressed?: boolean;
  onClick: () => void;
  children: string;
}

/** Disabled ones show the reason; on a phone only the icon is visible. */
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
          {`粘贴 ${formatCount(clipboard.count)} 项`}
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
  /** Those of them that are loaded. */
  items: readonly Item[];
  count: number;
  /** The rest of them is on its way. */
  awaited: boolean;
  permits: Permits;
  onAct: (what: ChosenKey) => void;
  onClear: () => void;
}

export type ChosenKey = "info" | keyof Permits;

interface ChosenAction {
  key: ChosenKey;
  icon: IconName;
  label: string;
  /** On a phone it is in the bar, and not behind ⋯. */
  first?: boolean;
  danger?: boolean;
}

const chosenActions: readonly ChosenAction[] = [
  { key: "download", icon: "download", label: "下载", first: true },
  { key: "share", icon: "share", label: "分享" },
  { key: "copy", icon: "copy", label: "复制", first: true },
  { key: "move", icon: "move", label: "移动", first: true },
  { key: "rename", icon: "rename", label: "重命名" },
  { key: "compress", icon: "fileArchive", label: "压缩" },
  { key: "info", icon: "info", label: "信息" },
  { key: "remove", icon: "trash", label: "删除", first: true, danger: true },
];

export function ChosenBar({ items, count, awaited, permits, onAct, onClear }: ChosenBarProps) {
  const phone = usePhone();
  const size = items.reduce((sum, item) => sum + (item.isDir ? 0 : item.size), 0);
  const files = items.some((item) => !item.isDir);
  const all = { ...permits, info: open };
  const shown = chosenActions.filter(({ key }) => !all[key].hidden);
  const behind = phone ? shown.filter(({ first }) => !first) : [];
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
        已选 {formatCount(count)} 项
      </b>
      <span className={styles.size}>{files && !awaited && formatSize(size)}</span>
      {shown
        .filter((action) => !behind.includes(action))
        .map(({ key, icon, label, danger = false }) => (
          <BarButton key={key} icon={icon} danger={danger} permit={all[key]} onClick={() => onAct(key)}>
            {label}
          </BarButton>
        ))}
      {behind.length > 0 && (
        <RowActions
          name="所选项"
          more={behind.map(({ key, label }) => ({
            key,
            label,
            disabledReason: all[key].reason,
            onClick: () => onAct(key),
          }))}
        />
      )}
      <span className={styles.keys}>Ctrl+A 全选　Esc 取消</span>
    </section>
  );
}
