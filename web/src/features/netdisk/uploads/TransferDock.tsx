// The transfers on every page of the portal: the panel, the question about files of the same name, and the news.
import { App } from "antd";
import { useNavigate } from "react-router";
import { media, useMediaQuery } from "@/shared/lib/use-media-query";
import { filesAddress } from "../disk-paths";
import { overlayShown, useOverlay } from "../overlay";
import { ReplacePrompt } from "../prompts/ReplacePrompt";
import { TaskPanel } from "../tasks/TaskPanel";
import type { Picked } from "./plan";
import type { Unfinished } from "./remembered";
import { TransferPanel } from "./TransferPanel";
import { giveUp, takeUp, uploadQueue, useUploads } from "./upload-store";
import { useUploadNews } from "./useUploadNews";

export function TransferDock() {
  const view = useUploads();
  const phone = useMediaQuery(media.phone);
  const navigate = useNavigate();
  const { message } = App.useApp();
  const { overlay } = useOverlay();
  const [conflict] = view.conflicts;
  useUploadNews();

  function pick(leftover: Unfinished, picked: readonly Picked[]) {
    const fault = takeUp(leftover, picked);
    if (fault) message.error(fault, 2);
  }

  return (
    <>
      <TaskPanel />
      <TransferPanel
        view={view}
        leftovers={view.leftovers}
        folded={phone}
        on={{
          retry: (entry) => uploadQueue.retry(entry),
          cancel: (entry) => uploadQueue.cancel(entry),
          pause: (entry) => uploadQueue.pause(entry),
          resume: (entry) => uploadQueue.resume(entry),
          dismiss: () => uploadQueue.dismiss(),
          show: (target) => void navigate(filesAddress(target)),
          pick,
          giveUp,
        }}
      />
      {conflict && overlayShown(overlay, view.conflicts.length) === "replace" && (
        <ReplacePrompt
          key={conflict.job}
          conflict={conflict}
          several={view.conflicts.length > 1 || view.lines.some((line) => line.files - line.filesDone > 1)}
          onDecide={(decision, forAll) => uploadQueue.decide(decision, forAll)}
        />
      )}
    </>
  );
}
