// The lines of a log that are in the window, with search, wraps and the way back to the end.
import { useVirtualizer } from "@tanstack/react-virtual";
import { Button, Switch } from "antd";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { formatSize } from "@/shared/lib/numbers";
import { linesWith } from "@/shared/logs/find";
import { LogLineView } from "@/shared/logs/LogLineView";
import styles from "@/shared/logs/LogView.module.css";
import type { LogLine } from "@/shared/logs/log-lines";
import { SearchInput } from "@/shared/table/SearchInput";
import { Icon } from "@/shared/theme/Icon";
import type { LogTail } from "./log-tail";

interface TailScreenProps {
  tail: LogTail;
  lines: readonly LogLine[];
  error: Error | null;
  following: boolean;
  onFollowing: (following: boolean) => void;
  onEarlier: () => Promise<void>;
  onLater: () => void;
  onEnd: () => void;
  onStart: () => void;
}

const lineHeight = 19;
/** So near to an end it is reached. */
const nearPx = 24;

export function TailScreen(props: TailScreenProps) {
  const { tail, lines, error, following, onFollowing, onEarlier, onLater, onEnd, onStart } = props;
  const [wrap, setWrap] = useState(true);
  const [wanted, setWanted] = useState("");
  const [current, setCurrent] = useState(0);
  const [reading, setReading] = useState(false);
  const screen = useRef<HTMLDivElement>(null);
  const found = useMemo(() => linesWith(lines, wanted), [lines, wanted]);
  const at = Math.min(current, found.length - 1);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => screen.current,
    estimateSize: () => lineHeight,
    getItemKey: (index) => lines[index]?.number ?? index,
    overscan: 20,
  });

  const lastTop = useRef(0);
  const last = lines.length - 1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: also where as many lines went above as came below
  useEffect(() => {
    if (following && last >= 0) rows.scrollToIndex(last, { align: "end" });
  }, [following, last, lines, rows]);

  /** The line that was the first before others came above it: it stays where it is. */
  const anchor = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (anchor.current === null) return;
    const index = lines.findIndex(({ number }) => number === anchor.current);
    anchor.current = null;
    if (index > 0) rows.scrollToIndex(index, { align: "start" });
  }, [lines, rows]);

  async function readEarlier() {
    if (reading || tail.atStart) return;
    setReading(true);
    anchor.current = lines[0]?.number ?? null;
    await onEarlier();
    setReading(false);
  }

  function goTo(nth: number) {
    const next = (nth + found.length) % found.length;
    const line = found[next];
    if (line === undefined) return;
    setCurrent(next);
    onFollowing(false);
    rows.scrollToIndex(line, { align: "center" });
  }

  function scrolled({ scrollHeight, scrollTop, clientHeight }: HTMLElement) {
    const atBottom = scrollHeight - scrollTop - clientHeight < nearPx;
    // On the way to the end there are stops before it; only a person goes up.
    const up = scrollTop < lastTop.current;
    lastTop.current = scrollTop;
    if (atBottom && !tail.atEnd) onLater();
    if (following ? up && !atBottom : atBottom && tail.atEnd) onFollowing(!following);
    if (scrollTop < nearPx && !following) void readEarlier();
  }

  return (
    <section className={styles.view} aria-label="日志">
      <div className={styles.tools}>
        <SearchInput
          placeholder="在已加载的内容中查找"
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
          {error ? `更新失败：${error.message}` : following ? "正在跟随" : "已停止跟随"} ·{" "}
          {formatSize(tail.size)}
        </span>
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the switch is in it */}
        <label className={styles.wrap}>
          自动换行 <Switch size="small" checked={wrap} onChange={setWrap} />
        </label>
        <Button
          type="text"
          icon={<Icon name="up" size={14} />}
          onClick={() => {
            onFollowing(false);
            if (!tail.atStart) onStart();
            rows.scrollToOffset(0);
          }}
        >
          回到开头
        </Button>
        <Button
          type="text"
          icon={<Icon name={following ? "pause" : "down"} size={14} />}
          onClick={() => {
            if (!following && !tail.atEnd) onEnd();
            onFollowing(!following);
          }}
        >
          {following ? "停止跟随" : "回到末尾并跟随"}
        </Button>
      </div>
      <div
        ref={screen}
        className={wrap ? styles.screen : `${styles.screen} ${styles.unwrapped}`}
        role="log"
        aria-live="off"
        aria-label="日志的内容"
        data-scrolls
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys
        tabIndex={0}
        onScroll={({ currentTarget }) => scrolled(currentTarget)}
      >
        {lines.length === 0 ? (
          <p className={styles.note}>还没有内容</p>
        ) : (
          <p className={styles.note}>
            {tail.atStart ? "已到开头" : reading ? "正在读取更早的内容…" : "向上滚动，读取更早的内容"}
          </p>
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
