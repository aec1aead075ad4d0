// The second step before something is deleted: into the recycle bin, or for good.
import { useQuery } from "@tanstack/react-query";
import { Checkbox } from "antd";
import { useState } from "react";
import touch from "@/shared/form/TouchChoice.module.css";
import { formatCount } from "@/shared/lib/numbers";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import type { Item } from "../api";
import { useDisk } from "../disk-context";
import { shownName } from "../disk-paths";
import { keepDaysQuery } from "../trash/api";
import styles from "./DeletePrompt.module.css";

/** Longer lists show the number of the others. */
const named = 5;

interface DeletePromptProps {
  items: readonly Item[];
  /** The initial choice: without the recycle bin. */
  permanent: boolean;
  submitting: boolean;
  onConfirm: (permanent: boolean) => void;
  onClose: () => void;
  /** Ends the deleting that is under way. */
  onStop: () => void;
}

export function DeletePrompt({
  items,
  permanent,
  submitting,
  onConfirm,
  onClose,
  onStop,
}: DeletePromptProps) {
  const { host } = useDisk();
  const { data: keepDays = null } = useQuery(keepDaysQuery(host));
  const [chosen, setChosen] = useState(permanent);
  const final = chosen || keepDays === 0;
  const verb = final ? "彻底删除" : "删除";
  const [first] = items;
  const folders = items.some((item) => item.isDir);
  return (
    <ConfirmDanger
      open
      title={
        items.length === 1 && first
          ? `${verb} ${shownName(first.name)}？`
          : `${verb}选中的 ${formatCount(items.length)} 项？`
      }
      verb={verb}
      submitting={submitting}
      onConfirm={() => onConfirm(final)}
      onClose={onClose}
      onStop={onStop}
    >
      {items.length > 1 && (
        <ul className={styles.names}>
          {items.slice(0, named).map((item) => (
            <li key={item.path}>{shownName(item.isDir ? `${item.name}/` : item.name)}</li>
          ))}
          {items.length > named && <li>还有 {formatCount(items.length - named)} 项</li>}
        </ul>
      )}
      <p>
        {folders && "文件夹里的所有内容会一起删除。"}
        {fate(chosen, keepDays)}
      </p>
      {keepDays !== 0 && (
        <Checkbox
          className={`${styles.choice} ${touch.choice}`}
          checked={chosen}
          disabled={submitting}
          onChange={({ target }) => setChosen(target.checked)}
        >
          彻底删除，不放进回收站
        </Checkbox>
      )}
    </ConfirmDanger>
  );
}

/** What happens to it. How long the bin keeps entries may not be known yet. */
function fate(permanent: boolean, keepDays: number | null): string {
  if (keepDays === 0) return "回收站已关闭：删除后立即清除，不能恢复。";
  if (permanent) return "立即清除，不能恢复。";
  if (keepDays === null) return "还没有读到回收站的设置，删除后可能不能恢复。";
  return `删除的东西先放进回收站，${keepDays} 天内可以恢复。`;
}
