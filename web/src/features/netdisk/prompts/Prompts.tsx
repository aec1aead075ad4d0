// The prompts of a folder, of which at most one is open, and what confirming each does.
import { App } from "antd";
import { useMakeFolder, useRemove, useRename } from "../api";
import { useDisk } from "../disk-context";
import { fileIn, folderIn, parentOf, shownName } from "../disk-paths";
import { closeOverlay, useOverlay } from "../overlay";
import { pickedFromInput } from "../uploads/picked";
import type { Picked } from "../uploads/plan";
import { DeletePrompt } from "./DeletePrompt";
import { NamePrompt } from "./NamePrompt";
import { stemLength } from "./name-rules";
import { UploadPrompt } from "./UploadPrompt";

interface PromptsProps {
  folder: string;
  onUpload: (picked: readonly Picked[]) => void;
  /** Something was made or got a new name: it is to be selected. */
  onNamed: (name: string) => void;
  /** Called when deleting begins; answers with what takes it back, should that fail. */
  onDelete?: () => Promise<() => void>;
}

export function Prompts({ folder, onUpload, onNamed, onDelete }: PromptsProps) {
  const { host, titleOf } = useDisk();
  const { overlay } = useOverlay();
  const { message } = App.useApp();
  const makeFolder = useMakeFolder(host);
  const rename = useRename(host);
  const remove = useRemove(host);

  const done = (name: string) => {
    closeOverlay();
    onNamed(name);
  };

  async function deleteAll(items: Parameters<typeof remove.mutateAsync>[0]) {
    const key = "netdisk-delete";
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
    closeOverlay();
  }

  switch (overlay.name) {
    case "newDir":
      return (
        <NamePrompt
          title="新建文件夹"
          label="名称"
          verb="新建"
          initial=""
          selected={0}
          submitting={makeFolder.isPending}
          error={makeFolder.error}
          onSubmit={(name) => makeFolder.mutate(folderIn(folder, name), { onSuccess: () => done(name) })}
          onClose={closeOverlay}
        />
      );
    case "rename": {
      const { name, isDir, path } = overlay.item;
      const renamed = (next: string) => ({ from: path, to: fileIn(parentOf(path), next) });
      return (
        <NamePrompt
          title={`重命名 ${shownName(name)}`}
          label="新名称"
          verb="重命名"
          initial={name}
          selected={stemLength(name, isDir)}
          submitting={rename.isPending}
          error={rename.error}
          onSubmit={(next) => rename.mutate(renamed(next), { onSuccess: () => done(next) })}
          onClose={closeOverlay}
        />
      );
    }
    case "delete": {
      const { items } = overlay;
      return (
        <DeletePrompt
          items={items}
          submitting={remove.isPending}
          onConfirm={() => void deleteAll(items)}
          onClose={closeOverlay}
        />
      );
    }
    case "upload":
      return (
        <UploadPrompt
          folder={titleOf(folder)}
          onPick={(files) => {
            closeOverlay();
            onUpload(pickedFromInput(files));
          }}
          onClose={closeOverlay}
        />
      );
    default:
      return null;
  }
}
