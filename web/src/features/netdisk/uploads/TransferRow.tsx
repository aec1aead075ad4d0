// One line of the transfers: a file, or a folder with its content.
import { Button } from "antd";
import { memo } from "react";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { FileName } from "@/shared/ui/FileName";
import { shownName } from "../disk-paths";
import { iconOfName } from "../kinds";
import { percentOf, toneOf } from "./progress";
import type { EntryLine } from "./summary";
import { TransferNote } from "./TransferNote";
import type { TransferEvents } from "./TransferPanel";
import styles from "./TransferPanel.module.css";

interface TransferRowProps {
  line: EntryLine;
  on: TransferEvents;
}

export const TransferRow = memo(function TransferRow({ line, on }: TransferRowProps) {
  const { id, isDir, state, files } = line;
  const name = shownName(line.name);
  const over = state === "finished" || state === "skipped";
  const underWay = state === "active" || state === "queued";
  const paused = state === "paused";
  const failed = state === "failed" || line.filesFailed > 0;
  const percent = percentOf(line.loaded, line.size);
  return (
    <li className={styles.line}>
      <Icon name={isDir ? "folder" : iconOfName(name)} className={styles.icon} />
      {isDir ? (
        <span className={styles.name} title={name}>
          {`${name}/（${files} 个文件）`}
        </span>
      ) : (
        <FileName name={name} className={styles.name} />
      )}
      <span className={styles.buttons}>
        {underWay && (
          <LineButton icon="pause" label={`暂停 ${name}`} title="暂停" onClick={() => on.pause(id)} />
        )}
        {paused && (
          <LineButton icon="start" label={`继续 ${name}`} title="继续" onClick={() => on.resume(id)} />
        )}
        {failed && !underWay && (
          <LineButton icon="refresh" label={`重试 ${name}`} title="重试" onClick={() => on.retry(id)} />
        )}
        {over ? (
          <LineButton
            icon="folder"
            label={`打开 ${name} 的位置`}
            title="打开位置"
            onClick={() => on.show(line.folder)}
          />
        ) : (
          <LineButton
            icon="close"
            label={state === "failed" ? `移除 ${name}` : `取消 ${name}`}
            title={state === "failed" ? "移除" : "取消"}
            onClick={() => on.cancel(id)}
          />
        )}
      </span>
      {(underWay || paused) && (
        <div
          className={`${styles.track} ${styles.own}`}
          role="progressbar"
          aria-label={`${name} 的上传进度`}
          aria-valuenow={percent}
        >
          <div className={paused ? styles.held : styles[toneOf(percent)]} style={{ width: `${percent}%` }} />
        </div>
      )}
      <span className={styles.sub}>
        <TransferNote line={line} />
      </span>
    </li>
  );
});

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
