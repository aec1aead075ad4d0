// The hits of a search, in place of the listing: 50 at first, and 50 more at each end of scrolling. Escape closes.
import { App, Button } from "antd";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { formatCount } from "@/shared/lib/numbers";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { watchSight } from "@/shared/ui/watch-sight";
import { useDisk } from "../disk-context";
import styles from "./Search.module.css";
import { SearchHit } from "./SearchHit";
import { useSearch } from "./useSearch";

const step = 50;

/** Escape in a prompt closes it, and the prompt is gone before the key arrives here. */
const isInPrompt = (target: EventTarget | null) =>
  target instanceof Element && target.closest('[role="dialog"]') !== null;

interface SearchResultsProps {
  folder: string;
  words: string;
  /** Nothing lies above it that Escape closes first. */
  uncovered: boolean;
  onClose: () => void;
}

export function SearchResults({ folder, words, uncovered, onClose }: SearchResultsProps) {
  const { host, titleOf } = useDisk();
  const { message } = App.useApp();
  const [round, setRound] = useState(0);
  const [shown, setShown] = useState(step);
  const end = useRef<HTMLDivElement>(null);
  const { hits, running, error } = useSearch(host, folder, words, round);
  const left = hits.length - shown;
  useEffect(() => {
    if (error) message.error(`搜索失败：${error.message}`, 2);
  }, [error, message]);

  useEffect(() => {
    const element = end.current;
    if (!element || left <= 0) return;
    return watchSight(element, (inSight) => inSight && setShown((count) => count + step));
  }, [left]);

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.defaultPrevented && uncovered && !isInPrompt(event.target))
      onClose();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);

  return (
    <section className={styles.results} aria-label="搜索结果" aria-busy={running}>
      <header className={styles.head}>
        <span aria-live="polite">
          在 {titleOf(folder)} 里搜索“{words}”：
          {running ? `已找到 ${formatCount(hits.length)} 项，还在找…` : `找到 ${formatCount(hits.length)} 项`}
        </span>
        <Button type="text" icon={<Icon name="close" size={14} />} onClick={onClose}>
          关闭
        </Button>
      </header>
      {error && <ErrorPanel title="搜索失败" error={error} onRetry={() => setRound(round + 1)} />}
      {!running && !error && hits.length === 0 && (
        <EmptyPanel
          icon="search"
          text="没有找到"
          note="仅搜索当前文件夹及下两级；多个关键词匹配任意一个，加引号精确匹配"
        />
      )}
      <ul>
        {hits.slice(0, shown).map((hit) => (
          <SearchHit key={hit.path} hit={hit} folder={folder} />
        ))}
      </ul>
      <div ref={end} />
    </section>
  );
}
