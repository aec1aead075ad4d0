// Asks for a new name of one entry.
import { App } from "antd";
import { type Item, useRename } from "../api";
import { useDisk } from "../disk-context";
import { fileIn, parentOf, shownName } from "../disk-paths";
import { NamePrompt } from "./NamePrompt";
import { stemLength } from "./name-rules";

interface RenamePromptProps {
  item: Item;
  onDone: (name: string) => void;
  onClose: () => void;
}

export function RenamePrompt({ item: { name, isDir, path }, onDone, onClose }: RenamePromptProps) {
  const { host } = useDisk();
  const { message } = App.useApp();
  const rename = useRename(host);
  return (
    <NamePrompt
      title={`重命名 ${shownName(name)}`}
      label="新名称"
      verb="重命名"
      initial={name}
      selected={stemLength(name, isDir)}
      submitting={rename.isPending}
      error={rename.error}
      onSubmit={(next) =>
        rename.mutate(
          { from: path, to: fileIn(parentOf(path), next) },
          {
            onSuccess: () => onDone(next),
            onError: (error) => message.error(`重命名失败：${error.message}`, 2),
          },
        )
      }
      onUnchanged={onClose}
      onClose={onClose}
    />
  );
}
