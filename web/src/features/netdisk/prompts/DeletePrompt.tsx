// The second step before something is deleted.
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import type { Item } from "../api";
import { shownName } from "../disk-paths";
import styles from "./DeletePrompt.module.css";

/** Longer lists say how many more there are. */
const named = 5;

interface DeletePromptProps {
  items: readonly Item[];
  submitting: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

export function DeletePrompt({ items, submitting, onConfirm, onClose }: DeletePromptProps) {
  const [first] = items;
  const folders = items.some((item) => item.isDir);
  return (
    <ConfirmDanger
      open
      title={
        items.length === 1 && first ? `删除 ${shownName(first.name)}？` : `删除选中的 ${items.length} 项？`
      }
      verb="删除"
      submitting={submitting}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {items.length > 1 && (
        <ul className={styles.names}>
          {items.slice(0, named).map((item) => (
            <li key={item.path}>{shownName(item.isDir ? `${item.name}/` : item.name)}</li>
          ))}
          {items.length > named && <li>还有 {items.length - named} 项</li>}
        </ul>
      )}
      {folders && "文件夹里的所有内容会一起删除。"}
      删除的东西先放进回收站，到期以前都可以恢复。
    </ConfirmDanger>
  );
}
