// A log that is being written: followed at its end, paused while it is read, searched, with or without wraps, saved to
// a file.
import { useVirtualizer } from "@tanstack/react-virtual";
import { App, Button, Switch } from "antd";
import { useEffect, useMemo, useRef, useState } from "react";
import { asApiError } from "@/shared/api/problem";
import { formatCount } from "@/shared/lib/numbers";
import { SearchInput } from "@/shared/table/SearchInput";
import { Icon } from "@/shared/theme/Icon";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { saveFile } from "@/shared/ui/save-file";
import { linesWith } from "./find";
import { LogLineView } from "./LogLineView";
import styles from "./LogView.module.css";
import { streamText } from "./stream-text";
import { type LogState, useLogStream } from "./useLogStream";

interface LogViewProps {
  /** The accessible name: 日志. */
  label: string;
  /** Path and query of the log to follow. */
  address: string;
  /** All that the server gives, for the file. */
  whole: string;
  fileName: string;
}

const lineHeight = 19;
/** So near to the end the end is followed. */
const nearPx = 24;

const stateWords: Record<LogState, string> = {
  loading: "正在读取",
  live: "实时",
  ended: "已到结尾",
  failed: "已断开",
};

export function LogView({ label, address, whole, fileName }: LogViewProps) {
  const stream = useLogStream(address);
  const [held, setHeld] = useState<typeof stream | null>(null);
  const [wrap, setWrap] = useState(true);
  const [wanted, setWanted] = useState("");
  const [current, setCurrent] = useState(0);
  const screen = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const { lines, omitted } = held ?? stream;
  const found = useMemo(() => linesWith(lines, wanted), [lines, wanted]);
  const at = Math.min(current, found.length - 1);
  const news = held ? stream.lines.length + stream.omitted - held.lines.length - held.omitted : 0;

  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => screen.current,
    estimateSize: () => lineHeight,
    getItemKey: (index) => lines[index]?.number ?? index,
    overscan: 20,
  });

  const last = lines.length - 1;
  useEffect(() => {
    if (follows.current && last >= 0) rows.scrollToIndex(last, { align: "end" });
  }, [last, rows]);

  function goTo(nth: number) {
    const next = (nth + found.length) % found.length;
    const line = found[next];
    if (line === undefined) return;
    setCurrent(next);
    follows.current = false;
    rows.scrollToIndex(line, { align: "center" });
  }

  if (stream.state === "failed" && stream.error && lines.length === 0)
    return <ErrorPanel title={`${label}没有取到`} error={stream.error} onRetry={stream.retry} />;
  return (
    <section className={styles.view} aria-label={label}>
      <div className={styles.tools}>
        <SearchInput
          placeholder="在日志里查找"
          value={wanted}
          onSearch={(text) => {
            setWanted(text);
            setCurrent(0);
          }}
        />
        {wanted !== "" && (
          <span className={styles.found} role="status">
            {found.length === 0 ? "没有找到" : `${at + 1} / ${found.length} 行`}
          </span>
        )}
        {found.length > 0 && (
          <>
            <Button
              type="text"
              icon={<Icon name="up" size={14} />}
              aria-label="上一处"
              title="上一处"
              onClick={() => goTo(at - 1)}
            />
            <Button
              type="text"
              icon={<Icon name="down" size={14} />}
              aria-label="下一处"
              title="下一处"
              onClick={() => goTo(at + 1)}
            />
          </>
        )}
        <span className={styles.gap} />
        <span className={styles.state} role="status">
          {held ? `已暂停，新增 ${formatCount(news)} 行` : stateWords[stream.state]}
        </span>
        {stream.state === "failed" && (
          <Button type="link" size="small" onClick={stream.retry}>
            重试
          </Button>
        )}
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the switch is in it */}
        <label className={styles.wrap}>
          自动换行 <Switch size="small" checked={wrap} onChange={setWrap} />
        </label>
        <Button
          type="text"
          icon={<Icon name={held ? "start" : "pause"} size={14} />}
          onClick={() => {
            follows.current = true;
            setHeld(held ? null : stream);
          }}
        >
          {held ? "继续" : "暂停"}
        </Button>
        <DownloadButton address={whole} name={fileName} />
      </div>
      <div
        ref={screen}
        className={wrap ? styles.screen : `${styles.screen} ${styles.unwrapped}`}
        role="log"
        aria-live="off"
        aria-label={`${label}的内容`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          follows.current = scrollHeight - scrollTop - clientHeight < nearPx;
        }}
      >
        {omitted > 0 && (
          <p className={styles.note}>更早的 {formatCount(omitted)} 行没有保留，可以下载完整的日志</p>
        )}
        {lines.length === 0 && (
          <p className={styles.note}>{stream.state === "loading" ? "正在读取…" : "还没有输出"}</p>
        )}
        <div style={{ position: "relative", height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((row) => {
            const line = lines[row.index];
            return (
              line && (
                <div
                  key={row.key}
                  ref={rows.measureElement}
                  data-index={row.index}
                  className={styles.row}
                  style={{ transform: `translateY(${row.start}px)` }}
                >
                  <LogLineView line={line} wanted={wanted} current={found[at] === row.index} />
                </div>
              )
            );
          })}
        </div>
      </div>
    </section>
  );
}

function DownloadButton({ address, name }: { address: string; name: string }) {
  const { message } = App.useApp();
  const [busy, setBusy] = useState(false);

  async function download() {
    setBusy(true);
    const parts: string[] = [];
    try {
      await streamText(address, (text) => parts.push(text), new AbortController().signal);
      saveFile(name, new Blob(parts, { type: "text/plain;charset=utf-8" }));
    } catch (cause) {
      message.error(`没有下载：${asApiError(cause).message}`, 2);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Button
      type="text"
      icon={<Icon name="download" size={14} />}
      loading={busy}
      onClick={() => void download()}
    >
      下载
    </Button>
  );
}
