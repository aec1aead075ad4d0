// Reports the uploads' outcomes, and refetches the lists when all is sent.
import { useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { useEffect } from "react";
import { netdiskKey } from "../api";
import { nameOf, shownName } from "../disk-paths";
import { type Uploads, useUploads } from "./upload-store";

const key = "netdisk-upload";

type Toasts = ReturnType<typeof App.useApp>["message"];

/** Reports the beginning. Ten thousand files take a moment before the first of them is sent. */
function tellBegin(message: Toasts, now: Uploads, before: Uploads) {
  if (now.preparing && !before.preparing && !now.running)
    message.open({ key, type: "loading", content: "正在准备上传…", duration: 0 });
  if (before.preparing && !now.preparing && !now.running) message.destroy(key);
  if (now.running && !before.running)
    message.open({ key, type: "loading", content: "正在上传…", duration: 1 });
}

/** Where the news begins: an upload may begin before this component is mounted. */
let unheard: Uploads | null = useUploads.getInitialState();

export function useUploadNews() {
  const { message } = App.useApp();
  const client = useQueryClient();
  useEffect(() => {
    const hear = (now: Uploads, before: Uploads) => {
      tellBegin(message, now, before);
      if (now.lastFailure && now.lastFailure !== before.lastFailure) {
        const { path, reason } = now.lastFailure;
        // One toast for all: a folder of a thousand files may fail a thousand times.
        message.open({
          key,
          type: "error",
          content: `${shownName(nameOf(path))} 上传失败：${reason}`,
          duration: 2,
        });
      }
      if (now.rounds === before.rounds) return;
      void client.invalidateQueries({ queryKey: netdiskKey });
      if (now.lastFailed === 0) message.open({ key, type: "success", content: "上传完成", duration: 1.5 });
    };
    if (unheard) hear(useUploads.getState(), unheard);
    unheard = null;
    return useUploads.subscribe(hear);
  }, [message, client]);
}
