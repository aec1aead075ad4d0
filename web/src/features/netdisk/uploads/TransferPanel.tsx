// The transfers at the lower right, on a phone a sheet at the bottom: the sum in the head, one line for each file or
// folder. Folds down to its head.
import { Button } from "antd";
import { useRef, useState } from "react";
import { Icon } from "@/shared/theme/Icon";
import { speedText, timeLeftText, toneOf } from "./progress";
import type { QueueView } from "./queue";
import styles from "./TransferPanel.module.css";
import { TransferRow } from "./TransferRow";
import { usePanelHeight } from "./usePanelHeight";

interface TransferPanelProps {
  view: QueueView;
  /** Folded at first, where the panel would cover what the person came for. */
  folded: boolean;
  onRetry: (entry: string) => void;
  onCancel: (entry: string) => void;
  onResume: () => void;
  onDismiss: () => void;
  onShow: (folder: string) => void;
}

export function TransferPanel(props: TransferPanelProps) {
  const { view, onRetry, onCancel, onResume, onDismiss, onShow } = props;
  const [open, setOpen] = useState(!props.folded);
  const panel = useRef<HTMLElement>(null);
  const { lines, running, stopped, percent, speed } = view;
  usePanelHeight(panel, lines.length > 0);
  if (lines.length === 0) return null;
  const done = lines.filter((line) => line.state === "finished" || line.state === "skipped").length;
  const failed = lines.filter((line) => line.state === "failed").length;
  const sending = running && !stopped;
  const left = timeLeftText(view.size - view.loaded, speed);
  return (
    <aside ref={panel} className={styles.panel} aria-label="传输" aria-busy={sending}>
      <header className={styles.head}>
        <Icon name={sending ? "progress" : "upload"} spin={sending} />
        <b>上传 {lines.length} 项</b>
        <span className={styles.note} aria-live="polite">
          {headNote(done, failed, stopped)}
        </span>
        <span className={styles.figures}>
          {sending && (
            <>
              <b>{percent}%</b>
              <span className={styles.note}>{[speedText(speed), left].filter(Boolean).join(" ")}</span>
            </>
          )}
        </span>
        {stopped && running && (
          <Button size="small" onClick={onResume}>
            继续上传
          </Button>
        )}
        <Button
          type="text"
          icon={<Icon name={open ? "down" : "up"} size={14} />}
          aria-label={open ? "收起传输列表" : "展开传输列表"}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
        {!running && (
          <Button
            type="text"
            icon={<Icon name="close" size={14} />}
            aria-label="关闭传输列表"
            title="关闭"
            onClick={onDismiss}
          />
        )}
      </header>
      <div className={styles.track} role="progressbar" aria-label="全部上传" aria-valuenow={percent}>
        {sending && <div className={styles[toneOf(percent)]} style={{ width: `${percent}%` }} />}
      </div>
      {open && (
        <ul className={styles.lines}>
          {lines.map((line) => (
            <TransferRow
              key={line.id}
              line={line}
              onRetry={() => onRetry(line.id)}
              onCancel={() => onCancel(line.id)}
              onShow={() => onShow(line.folder)}
            />
          ))}
        </ul>
      )}
    </aside>
  );
}

function headNote(done: number, failed: number, stopped: boolean): string {
  if (stopped) return "已停止";
  return [done > 0 && `${done} 完成`, failed > 0 && `${failed} 失败`].filter(Boolean).join("，");
}
