// The text below the name in a line of the transfers: progress, speed, outcome.
import { formatSize } from "@/shared/lib/numbers";
import { StateText } from "@/shared/ui/StateText";
import { percentOf, speedText, timeLeftText } from "./progress";
import type { EntryLine } from "./summary";

export function TransferNote({ line }: { line: EntryLine }) {
  const { state, isDir, files, filesDone, filesFailed, size, loaded, speed } = line;
  switch (state) {
    case "finished":
      return <StateText icon="success" tone="success">{`已完成 · ${formatSize(size)}`}</StateText>;
    case "skipped":
      return (
        <StateText icon="minus" tone="off">
          已跳过，保留原来的文件
        </StateText>
      );
    case "failed":
      return (
        <StateText icon="alert" tone="error">
          {failureText(line)}
        </StateText>
      );
    case "conflict":
      return (
        <StateText icon="alert" tone="warning">
          已有同名文件，等待选择
        </StateText>
      );
    default: {
      const left = timeLeftText(size - loaded, speed);
      return (
        <>
          {state === "paused" && <span>已暂停</span>}
          {isDir && <span>{`${filesDone} / ${files}`}</span>}
          <span>{progressText(line)}</span>
          {speed > 0 && <span>{speedText(speed)}</span>}
          {left && <span>{left}</span>}
          {filesFailed > 0 && <span>{filesFailed} 个文件失败</span>}
        </>
      );
    }
  }
}

function failureText({ isDir, filesFailed, reason, loaded, size }: EntryLine): string {
  // A folder without files can fail too.
  if (isDir) return filesFailed > 0 ? `${filesFailed} 个文件失败：${reason}` : `没有建立：${reason}`;
  return loaded > 0 ? `${reason}，已传 ${percentOf(loaded, size)}%` : `${reason}，没有上传`;
}

function progressText({ state, loaded, size }: EntryLine): string {
  return state === "queued" && loaded === 0
    ? `等待上传 · ${formatSize(size)}`
    : `${formatSize(loaded)} / ${formatSize(size)}`;
}
