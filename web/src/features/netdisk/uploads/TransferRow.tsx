// One line of the transfers: a file, or a folder with all that is in it.
import { Button } from "antd";
import { formatSize } from "@/shared/lib/numbers";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { StateText } from "@/shared/ui/StateText";
import { shownName } from "../disk-paths";
import { iconOfName } from "../kinds";
import { percentOf, toneOf } from "./progress";
import type { EntryLine } from "./summary";
import styles from "./TransferPanel.module.css";

interface TransferRowProps {
  line: EntryLine;
  onRetry: () => void;
  onCancel: () => void;
  onShow: () => void;
}

export function TransferRow({ line, onRetry, onCancel, onShow }: TransferRowProps) {
  const { isDir, state, files } = line;
  const name = shownName(line.name);
  const over = state === "finished" || state === "skipped";
  const underWay = state === "active" || state === "queued";
  const percent = percentOf(line.loaded, line.size);
  return (
    <li className={styles.line}>
      <Icon name={isDir ? "folder" : iconOfName(name)} className={styles.icon} />
      <span className={styles.name} title={name}>
        {isDir ? `${name}/（${files} 个文件）` : name}
      </span>
      <span className={styles.buttons}>
        {line.filesFailed > 0 && !underWay && (
          <LineButton icon="refresh" label={`重试 ${name}`} title="重试" onClick={onRetry} />
        )}
        {over ? (
          <LineButton icon="folder" label={`打开 ${name} 的位置`} title="打开位置" onClick={onShow} />
        ) : (
          <LineButton
            icon="close"
            label={state === "failed" ? `移除 ${name}` : `取消 ${name}`}
            title={state === "failed" ? "移除" : "取消"}
            onClick={onCancel}
          />
        )}
      </span>
      {underWay && (
        <div
          className={`${styles.track} ${styles.own}`}
          role="progressbar"
          aria-label={`${name} 的上传进度`}
          aria-valuenow={percent}
        >
          <div className={styles[toneOf(percent)]} style={{ width: `${percent}%` }} />
        </div>
      )}
      <span className={styles.sub}>
        <LineNote line={line} />
      </span>
    </li>
  );
}

function LineNote({ line }: { line: EntryLine }) {
  const { state, isDir, files, filesDone, filesFailed, reason } = line;
  switch (state) {
    case "finished":
      return <StateText icon="success" tone="success">{`已完成 · ${formatSize(line.size)}`}</StateText>;
    case "skipped":
      return (
        <StateText icon="minus" tone="off">
          已跳过，保留原来的文件
        </StateText>
      );
    case "failed":
      return (
        <StateText icon="alert" tone="error">
          {isDir ? `${filesFailed} 项失败：${reason}` : `${reason}，没有上传`}
        </StateText>
      );
    case "conflict":
      return (
        <StateText icon="alert" tone="warning">
          已有同名文件，等待选择
        </StateText>
      );
    default:
      return (
        <>
          <span>{isDir ? `${filesDone} / ${files}` : progressText(line)}</span>
          {isDir && <span>{progressText(line)}</span>}
          {filesFailed > 0 && <span>{filesFailed} 项失败</span>}
        </>
      );
  }
}

function progressText({ state, loaded, size }: EntryLine): string {
  return state === "queued" && loaded === 0
    ? `等待上传 · ${formatSize(size)}`
    : `${formatSize(loaded)} / ${formatSize(size)}`;
}

interface LineButtonProps {
  icon: IconName;
  label: string;
  title: string;
  onClick: () => void;
}

function LineButton({ icon, label, title, onClick }: LineButtonProps) {
  return (
    <Button
      type="text"
      icon={<Icon name={icon} size={14} />}
      aria-label={label}
      title={title}
      onClick={onClick}
    />
  );
}
