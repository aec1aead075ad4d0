// Deletes what is selected once that is confirmed, and says how it went.
import { App } from "antd";
import { type Item, useRemove } from "../api";
import { useDisk } from "../disk-context";
import { DeletePrompt } from "./DeletePrompt";

interface DeleteAllPromptProps {
  items: readonly Item[];
  /** Called when deleting begins; answers with what takes it back, should that fail. */
  onDelete?: (() => Promise<() => void>) | undefined;
  onClose: () => void;
}

const key = "netdisk-delete";

export function DeleteAllPrompt({ items, onDelete, onClose }: DeleteAllPromptProps) {
  const { host } = useDisk();
  const { message } = App.useApp();
  const remove = useRemove(host);

  async function deleteAll() {
    message.open({ key, type: "loading", content: "正在删除…", duration: 0 });
    const takeBack = await onDelete?.();
    try {
      const { gone, failed } = await remove.mutateAsync(items);
      const [first] = failed;
      if (first === undefined)
        message.open({ key, type: "success", content: `已删除 ${gone.length} 项`, duration: 1.5 });
      else {
        const content = failed.length === 1 ? `删除失败：${first}` : `${failed.length} 项删除失败：${first}`;
        message.open({ key, type: "error", content, duration: 2 });
        takeBack?.();
      }
    } catch {
      // Only the end of the session gets here, and that has a message of its own.
      message.destroy(key);
    }
    // Whoever went away has closed it by that, and may have opened another meanwhile.
    if (!takeBack) onClose();
  }

  return (
    <DeletePrompt
      items={items}
      submitting={remove.isPending}
      onConfirm={() => void deleteAll()}
      onClose={onClose}
    />
  );
}
