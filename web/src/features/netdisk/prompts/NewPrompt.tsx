// Asks for the name of a new folder or a new, empty file.
import { useMake } from "../api";
import { useDisk } from "../disk-context";
import { fileIn, folderIn } from "../disk-paths";
import { NamePrompt } from "./NamePrompt";

interface NewPromptProps {
  what: "folder" | "file";
  folder: string;
  onDone: (name: string) => void;
  onClose: () => void;
}

export function NewPrompt({ what, folder, onDone, onClose }: NewPromptProps) {
  const { host } = useDisk();
  const make = useMake(host);
  const path = what === "folder" ? folderIn : fileIn;
  return (
    <NamePrompt
      title={what === "folder" ? "新建文件夹" : "新建文件"}
      label="名称"
      verb="新建"
      initial=""
      selected={0}
      submitting={make.isPending}
      error={make.error}
      onSubmit={(name) => make.mutate(path(folder, name), { onSuccess: () => onDone(name) })}
      onClose={onClose}
    />
  );
}
