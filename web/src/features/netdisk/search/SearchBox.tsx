// The search field in the header. Enter starts, Escape closes; in a narrow header it opens from a button.
import { Button, Input, type InputRef } from "antd";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { media, useMediaQuery } from "@/shared/lib/use-media-query";
import { Icon } from "@/shared/theme/Icon";
import styles from "./Search.module.css";
import { useSearchWords } from "./search-words";

export function SearchBox() {
  const narrow = useMediaQuery(media.diskHeader);
  const shown = useSearchWords();
  const searching = shown.words !== null;
  const [words, setWords] = useState(shown.words ?? "");
  const [seen, setSeen] = useState(shown.words);
  const [open, setOpen] = useState(false);
  const input = useRef<InputRef>(null);
  const cameFrom = useRef<Element | null>(null);

  // Going back or forward changes the search text too.
  if (seen !== shown.words) {
    setSeen(shown.words);
    setWords(shown.words ?? "");
  }

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (!(ctrlKey || metaKey) || altKey || shiftKey || key.toLowerCase() !== "f") return;
    // The editor has a search of its own.
    if (event.defaultPrevented || (event.target instanceof Element && event.target.closest(".cm-editor")))
      return;
    event.preventDefault();
    setOpen(true);
    input.current?.focus();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);

  function start() {
    const trimmed = words.trim();
    if (trimmed !== "") shown.start(trimmed);
  }

  function close() {
    setWords("");
    setOpen(false);
    shown.close();
  }

  /** Returns to the listing, so that keys apply to the files again. */
  function leave() {
    close();
    input.current?.blur();
    if (cameFrom.current instanceof HTMLElement) cameFrom.current.focus();
  }

  if (narrow && !open && !searching)
    return (
      <Button
        type="text"
        icon={<Icon name="search" />}
        aria-label="搜索"
        title="搜索"
        onClick={() => setOpen(true)}
      />
    );
  return (
    <Input
      ref={input}
      className={narrow ? `${styles.box} ${styles.across}` : (styles.box ?? "")}
      prefix={<Icon name="search" size={14} />}
      placeholder="搜索，回车开始"
      aria-label="搜索文件"
      enterKeyHint="search"
      autoFocus={narrow}
      allowClear
      // Without a keyboard there is no Escape; with one, the hint is useful.
      suffix={
        narrow ? (
          <Button
            type="text"
            size="small"
            icon={<Icon name="close" size={14} />}
            aria-label="关闭搜索"
            title="关闭搜索"
            onClick={close}
          />
        ) : (
          words === "" && <kbd className={styles.key}>Ctrl F</kbd>
        )
      }
      value={words}
      onChange={({ target }) => {
        setWords(target.value);
        if (target.value === "") shown.close();
      }}
      onPressEnter={start}
      onFocus={({ relatedTarget }) => {
        cameFrom.current = relatedTarget;
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        leave();
      }}
    />
  );
}
