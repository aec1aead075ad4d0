// The transfers at the lower right, on a phone a sheet at the bottom: the sum in the head, one line for each file or
// folder. Collapses to its head.
import { Button } from "antd";
import { useRef, useState } from "react";
import { Icon } from "@/shared/theme/Icon";
import { usePanelHeight } from "../usePanelHeight";
import { LeftoverRow } from "./LeftoverRow";
import type { Picked } from "./picked";
import { speedText, timeLeftText, toneOf } from "./progress";
import type { QueueView } from "./queue";
import type { Unfinished } from "./remembered";
import type { EntryLine } from "./summary";
import styles from "./TransferPanel.module.css";
import { TransferRow } from "./TransferRow";

/** More lines than people read; running ones come before finished ones. */
const most = 100;

export interface TransferEvents {
  retry: (entry: string) => void;
  cancel: (entry: string) => void;
  /** One line, or all of them. */
  pause: (entry?: string) => void;
  resume: (entry?: string) => void;
  dismiss: () => void;
  show: (folder: string) => void;
  /** The files for an interrupted upload. */
  pick: (leftover: Unfinished, picked: readonly Picked[]) => void;
  giveUp: (leftover: Unfinished) => void;
}

interface TransferPanelProps {
  view: QueueView;
  leftovers: readonly Unfinished[];
  /** Collapsed at first, where the panel would cover the page's content. */
  folded: boolean;
  on: TransferEvents;
}

const isOver = ({ state }: EntryLine) => state === "finished" || state === "skipped";

export function TransferPanel({ view, leftovers, folded, on }: TransferPanelProps) {
  // Not collapsed when it asks for something.
  const [open, setOpen] = useState(!folded || leftovers.length > 0);
  const panel = useRef<HTMLElement>(null);
  const { lines, running, stopped, paused, percent } = view;
  const count = lines.length + leftovers.length;
  usePanelHeight(panel, "--transfer-height", count > 0);
  if (count === 0) return null;
  const sending = running && !stopped && !paused;
  const held = running && (stopped || paused);
  const sorted =
    lines.length > most ? lines.toSorted((a, b) => Number(isOver(a)) - Number(isOver(b))) : lines;
  return (
    <aside ref={panel} className={styles.panel} aria-label="传输" aria-busy={sending}>
      <header className={styles.head}>
        <Icon name={sending ? "progress" : "upload"} spin={sending} />
        <b>上传 {count} 项</b>
        <span className={styles.note} aria-live="polite">
          {headNote(view, leftovers.length)}
        </span>
        <Figures view={view} />
        {stopped && running && (
          <Button size="small" onClick={() => on.resume()}>
            继续上传
          </Button>
        )}
        {sending && <HeadButton icon="pause" label="全部暂停" onClick={() => on.pause()} />}
        {held && !stopped && <HeadButton icon="start" label="全部继续" onClick={() => on.resume()} />}
        <Button
          type="text"
          icon={<Icon name={open ? "down" : "up"} size={14} />}
          aria-label={open ? "收起传输列表" : "展开传输列表"}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
        {!running && lines.length > 0 && (
          <HeadButton icon="close" label="关闭传输列表" onClick={on.dismiss} />
        )}
      </header>
      <div className={styles.track} role="progressbar" aria-label="全部上传" aria-valuenow={percent}>
        {running && (
          <div className={held ? styles.held : styles[toneOf(percent)]} style={{ width: `${percent}%` }} />
        )}
      </div>
      {open && (
        <ul className={styles.lines}>
          {leftovers.map((leftover) => (
            <LeftoverRow
              key={leftover.id}
              leftover={leftover}
              onPick={(picked) => on.pick(leftover, picked)}
              onGiveUp={() => on.giveUp(leftover)}
            />
          ))}
          {sorted.slice(0, most).map((line) => (
            <TransferRow key={line.id} line={line} on={on} />
          ))}
          {lines.length > most && <li className={styles.rest}>还有 {lines.length - most} 项没有列出</li>}
        </ul>
      )}
    </aside>
  );
}

function Figures({ view: { running, stopped, paused, percent, speed, size, loaded } }: { view: QueueView }) {
  const left = timeLeftText(size - loaded, speed);
  return (
    <span className={styles.figures}>
      {running && !stopped && (
        <>
          <b>{percent}%</b>
          {!paused && (
            <span className={styles.note}>{[speedText(speed), left].filter(Boolean).join(" ")}</span>
          )}
        </>
      )}
    </span>
  );
}

function HeadButton({
  icon,
  label,
  onClick,
}: {
  icon: "pause" | "start" | "close";
  label: string;
  onClick: () => void;
}) {
  return (
    <Button
      type="text"
      icon={<Icon name={icon} size={14} />}
      aria-label={label}
      title={label}
      onClick={() => onClick()}
    />
  );
}

function headNote({ lines, stopped, paused }: QueueView, cut: number): string {
  if (stopped) return "已停止";
  const done = lines.filter(isOver).length;
  const failed = lines.filter((line) => line.state === "failed").length;
  return [
    paused && "已暂停",
    done > 0 && `${done} 完成`,
    failed > 0 && `${failed} 失败`,
    cut > 0 && `${cut} 未传完`,
  ]
    .filter(Boolean)
    .join("，");
}
