// The page of a link that takes files: who collects them, how much, and the files that this visitor sends. Nothing in the
// folder is shown.
import { Button } from "antd";
import { type DragEvent, useId, useRef, useState } from "react";
import { FileInput } from "@/shared/form/FileInput";
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { media, useMediaQuery } from "@/shared/lib/use-media-query";
import { Icon } from "@/shared/theme/Icon";
import type { Resource } from "../api";
import { shownName } from "../disk-paths";
import { endText, lastingText } from "../shares/expiry";
import { type Picked, pickedFromDrop, pickedFromInput } from "../uploads/picked";
import type { QueueView } from "../uploads/queue";
import { TransferRow } from "../uploads/TransferRow";
import styles from "./CollectView.module.css";
import hero from "./ShareHero.module.css";
import type { Spot } from "./spot";
import { useCollect } from "./useCollect";

type Collecting = NonNullable<NonNullable<Resource["sharing"]>["collect"]>;

interface CollectViewProps {
  spot: Spot;
  pass: string | null;
  /** The folder's. */
  name: string;
  /** Who collects. */
  by: string;
  collect: Collecting;
  /** In seconds since 1970; 0 for never. */
  expire: number;
  /** The link has ended or is full. */
  onEnd: () => void;
}

export function CollectView({ spot, pass, name, by, collect, expire, onEnd }: CollectViewProps) {
  const { view, queue, add } = useCollect(spot, pass, onEnd);
  const title = shownName(name);
  const closed = collect.full ? "已收满，不再接收文件" : undefined;
  return (
    <section className={`${hero.hero} ${styles.card}`} aria-label="上传文件">
      <div className={hero.what}>
        <span className={hero.tile}>
          <Icon name="upload" size={28} />
        </span>
        <div className={hero.title}>
          <h1>{title}</h1>
          <p>{by} 正在收集文件</p>
        </div>
      </div>
      <dl className={hero.facts}>
        <dt>接收上限</dt>
        <dd>
          {formatCount(collect.maxFiles)} 个文件，共 {formatSize(collect.maxBytes)}
        </dd>
        <dt>有效期</dt>
        <dd title={endText(expire)} className={expire > 0 ? hero.ends : undefined}>
          {expire > 0 && <Icon name="clock" size={14} />}
          {lastingText(expire)}
        </dd>
      </dl>
      <PickZone closed={closed} onPick={(picked) => void add(picked)} />
      <p className={styles.note}>上传后不能在这里查看、修改或删除。重名的文件会自动改名，不会覆盖别人的。</p>
      {view.lines.length > 0 && (
        <>
          <p className={styles.state} role="status">
            {stateText(view)}
          </p>
          <ul className={styles.lines} aria-label="上传的文件">
            {shownFirst(view.lines).map((line) => (
              <TransferRow
                key={line.id}
                line={line}
                on={{
                  retry: (id) => queue.retry(id),
                  cancel: (id) => queue.cancel(id),
                  resume: (id) => queue.resume(id),
                }}
              />
            ))}
            {view.lines.length > most && (
              <li className={styles.rest}>还有 {formatCount(view.lines.length - most)} 个没有列出</li>
            )}
          </ul>
        </>
      )}
    </section>
  );
}

/** Of more files, those that are not sent yet come first. */
const most = 100;
const shownFirst = (lines: QueueView["lines"]) =>
  lines.length > most
    ? lines.toSorted((a, b) => Number(a.state === "finished") - Number(b.state === "finished")).slice(0, most)
    : lines;

function stateText({ lines, running, percent }: QueueView): string {
  const sent = lines.filter(({ state }) => state === "finished").length;
  const failed = lines.filter(({ state }) => state === "failed").length;
  if (running) return `正在上传，${percent}%，已完成 ${formatCount(sent)} / ${formatCount(lines.length)}`;
  const failures = failed > 0 ? `，${formatCount(failed)} 个失败` : "";
  return `已上传 ${formatCount(sent)} 个文件${failures}`;
}

interface PickZoneProps {
  /** Why nothing can be sent. */
  closed: string | undefined;
  onPick: (picked: readonly Picked[]) => void;
}

const carriesFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");

function PickZone({ closed, onPick }: PickZoneProps) {
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const touch = useMediaQuery(media.touch);
  const reasonId = useId();

  function moved(event: DragEvent) {
    if (!carriesFiles(event)) return;
    // Otherwise the browser opens the file in place of the page.
    event.preventDefault();
    event.dataTransfer.dropEffect = closed ? "none" : "copy";
    setOver(!closed);
  }

  function dropped(event: DragEvent) {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    setOver(false);
    if (!closed) void pickedFromDrop(event.dataTransfer).then(onPick);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same without a mouse
    <div
      className={`${styles.zone} ${over ? styles.over : ""}`}
      onDragOver={moved}
      onDragLeave={() => setOver(false)}
      onDrop={dropped}
    >
      <Button
        type="primary"
        size="large"
        icon={<Icon name="upload" />}
        disabled={closed !== undefined}
        aria-describedby={reasonId}
        onClick={() => input.current?.click()}
      >
        选择文件
      </Button>
      <span id={reasonId} className={styles.hint}>
        {closed ?? (touch ? "可以一次选多个" : "可以一次选多个，也可以拖到这里")}
      </span>
      <FileInput ref={input} label="选择文件" multiple onPick={(files) => onPick(pickedFromInput(files))} />
    </div>
  );
}
