// The transfers on every page of the portal: the panel, the question about files of the same name, and the news.
import { App } from "antd";
import { useMemo } from "react";
import { useNavigate } from "react-router";
import { trustedStorageHost } from "@/shared/api/public-settings";
import { FingerRoom } from "@/shared/ui/FingerRoom";
import { usePhone } from "@/shared/ui/usePhone";
import { filesAddress } from "../disk-paths";
import { overlayShown, useOverlay } from "../overlay";
import { ReplacePrompt } from "../prompts/ReplacePrompt";
import { TaskPanel } from "../tasks/TaskPanel";
import type { Picked } from "./picked";
import type { Unfinished } from "./remembered";
import { TransferPanel } from "./TransferPanel";
import { giveUp, takeUp, uploadQueue, useUploads } from "./upload-store";
import { useUploadNews } from "./useUploadNews";

const onQueue = {
  retry: (entry: string) => uploadQueue.retry(entry),
  cancel: (entry: string) => uploadQueue.cancel(entry),
  pause: (entry?: string) => uploadQueue.pause(entry),
  resume: (entry?: string) => uploadQueue.resume(entry),
  dismiss: () => uploadQueue.dismiss(),
  giveUp,
};

export function TransferDock() {
  const view = useUploads();
  const phone = usePhone();
  const navigate = useNavigate();
  const { message } = App.useApp();
  const { overlay } = useOverlay();
  const [conflict] = view.conflicts;
  useUploadNews();

  // A stable object: the panel renders ten times a second, its lines only when their data changes.
  const on = useMemo(
    () => ({
      ...onQueue,
      show: (target: string) => void navigate(filesAddress(target)),
      pick: (leftover: Unfinished, picked: readonly Picked[]) => {
        const fault = takeUp(leftover, picked);
        if (fault) message.error(fault, 2);
      },
    }),
    [navigate, message],
  );

  return (
    <>
      <TaskPanel />
      <TransferPanel view={view} leftovers={view.leftovers} folded={phone} on={on} />
      {conflict && overlayShown(overlay, view.conflicts.length) === "replace" && (
        <FingerRoom>
          <ReplacePrompt
            host={trustedStorageHost()}
            conflicts={view.conflicts}
            several={view.lines.reduce((open, line) => open + line.files - line.filesDone, 0) > 1}
            onDecide={(decision, about) => uploadQueue.decide(decision, about)}
          />
        </FingerRoom>
      )}
    </>
  );
}
