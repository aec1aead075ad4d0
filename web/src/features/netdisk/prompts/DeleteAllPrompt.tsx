// Deletes the selection after a confirmation, and reports the outcome.
import { App } from "antd";
import { useRef } from "react";
import { formatCount } from "@/shared/lib/numbers";
import { type Item, useRemove } from "../api";
import { useDisk } from "../disk-context";
import { type Progress, useProgressToast } from "../operations/useProgressToast";
import { DeletePrompt } from "./DeletePrompt";

interface DeleteAllPromptProps {
  items: readonly Item[];
  /** The initial choice: without the recycle bin. */
  permanent: boolean;
  /** Called when deleting begins; resolves to a function that undoes its effect, if deleting fails. */
  onDelete?: (() => Promise<() => void>) | undefined;
  onClose: () => void;
}

const key = "netdisk-delete";

export function DeleteAllPrompt({ items, permanent, onDelete, onClose }: DeleteAllPromptProps) {
  const { host } = useDisk();
  const { message } = App.useApp();
  const remove = useRemove(host);
  const begin = useProgressToast(key);
  const underWay = useRef<Progress>(null);

  async function deleteAll(forGood: boolean) {
    const progress = begin("删除", items.length);
    underWay.current = progress;
    const takeBack = await onDelete?.();
    try {
      const { gone, failed } = await remove.mutateAsync({ items, permanent: forGood, progress });
      const [first] = failed;
      const word = `${forGood ? "彻底" : ""}删除`;
      if (first === undefined && progress.signal.aborted) {
        const content = `已停止，已${word} ${formatCount(gone.length)} 项`;
        message.open({ key, type: "info", content, duration: 1 });
      } else if (first === undefined)
        message.open({
          key,
          type: "success",
          content: `已${word} ${formatCount(gone.length)} 项`,
          duration: 1.5,
        });
      else {
        const content = failed.length === 1 ? `删除失败：${first}` : `${failed.length} 项删除失败：${first}`;
        message.open({ key, type: "error", content, duration: 2 });
        takeBack?.();
      }
    } catch {
      // Only the end of the session gets here, and that has a message of its own.
      message.destroy(key);
    } finally {
      progress.end();
    }
    // A user who left or cancelled has closed it by that, and may have opened another meanwhile.
    if (!takeBack && underWay.current) onClose();
  }

  return (
    <DeletePrompt
      items={items}
      permanent={permanent}
      submitting={remove.isPending}
      onConfirm={(forGood) => void deleteAll(forGood)}
      onClose={onClose}
      onStop={() => {
        underWay.current?.stop();
        underWay.current = null;
        onClose();
      }}
    />
  );
}
