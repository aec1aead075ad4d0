// Asks for the name of a new folder or a new, empty file.
import { useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { useState } from "react";
import type { Failure } from "@/shared/ui/failure";
import { knowsFolder, useMake } from "../api";
import { useDisk } from "../disk-context";
import { fileIn, folderIn } from "../disk-paths";
import { NamePrompt } from "./NamePrompt";

interface NewPromptProps {
  what: "folder" | "file";
  folder: string;
  onDone: (name: string) => void;
  onClose: () => void;
}

/** To the storage host an existing folder is no failure; to a user who wants a new one it is. */
const folderIsThere: Failure = { message: "已有同名的文件夹", fields: [] };

export function NewPrompt({ what, folder, onDone, onClose }: NewPromptProps) {
  const { host } = useDisk();
  const { message } = App.useApp();
  const make = useMake(host);
  const client = useQueryClient();
  const [taken, setTaken] = useState(false);
  const path = what === "folder" ? folderIn : fileIn;

  function submit(name: string) {
    const found = what === "folder" && knowsFolder(client, host, folder, name);
    setTaken(found);
    if (found) return;
    make.mutate(path(folder, name), {
      onSuccess: () => onDone(name),
      onError: (error) => message.error(`新建失败：${error.message}`, 2),
    });
  }

  return (
    <NamePrompt
      title={what === "folder" ? "新建文件夹" : "新建文件"}
      label="名称"
      verb="新建"
      initial=""
      selected={0}
      submitting={make.isPending}
      error={taken ? folderIsThere : make.error}
      onSubmit={submit}
      onClose={onClose}
    />
  );
}
