// The command panel at the bottom of the file browser: commands run in the folder that is shown above it.
import { Button } from "antd";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { media, useMediaQuery } from "@/shared/lib/use-media-query";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { StateText } from "@/shared/ui/StateText";
import { useDisk } from "../disk-context";
import { usePanelHeight } from "../usePanelHeight";
import { Prompt } from "./Prompt";
import { ResizeHandle } from "./ResizeHandle";
import { ShellOutput } from "./ShellOutput";
import styles from "./ShellPanel.module.css";
import { cancel, clear, enter, recall, setOpen, shellButton, useShell } from "./shell-store";

/** Maximum size of one frame to the server; a character may take more than one byte. */
const longestLine = 4096;
/** So near to the end the output is followed. */
const nearPx = 24;

const hasMarkedText = () => (getSelection()?.toString() ?? "") !== "";

export function ShellPanel({ folder }: { folder: string }) {
  const { host } = useDisk();
  const { height, transcript, running } = useShell();
  const [typed, setTyped] = useState("");
  const touch = useMediaQuery(media.touch);
  const panel = useRef<HTMLElement>(null);
  const screen = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const follows = useRef(true);
  usePanelHeight(panel, "--shell-height");

  useEffect(() => {
    input.current?.focus({ preventScroll: true });
    return () => document.getElementById(shellButton)?.focus();
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is more to see
  useLayoutEffect(() => {
    const element = screen.current;
    if (element && follows.current) element.scrollTop = element.scrollHeight;
  }, [transcript, running]);

  function submit() {
    follows.current = true;
    enter(host, folder, typed);
    if (running === null) setTyped("");
  }

  function walk(step: -1 | 1) {
    const line = recall(typed, step);
    if (line !== null) setTyped(line);
  }

  function onKeyDown(event: KeyboardEvent) {
    // The keys of the files above are not meant here.
    event.stopPropagation();
    if (!event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const key = event.key.toLowerCase();
    if (key === "l") clear();
    else if (key === "c" && running !== null && !hasMarkedText()) cancel();
    else return;
    event.preventDefault();
  }

  return (
    <section
      ref={panel}
      className={styles.panel}
      style={{ height: `${height}%` }}
      aria-label="命令行"
      onKeyDown={onKeyDown}
    >
      <ResizeHandle height={height} />
      <header className={styles.head}>
        <b>命令行</b>
        <span className={styles.state} aria-live="polite">
          <ShellState />
        </span>
        {running !== null && (
          <Button
            danger
            type="text"
            icon={<Icon name="stopped" size={14} />}
            title="停止（Ctrl+C）"
            onClick={cancel}
          >
            停止
          </Button>
        )}
        <HeadButton icon="trash" label="清空输出" onClick={clear} />
        <HeadButton icon="close" label="关闭命令行" onClick={() => setOpen(false)} />
      </header>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a click anywhere is meant for the field */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: which is what keys reach */}
      <div
        ref={screen}
        className={styles.screen}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          follows.current = scrollHeight - scrollTop - clientHeight < nearPx;
        }}
        onClick={() => {
          if (!hasMarkedText()) input.current?.focus({ preventScroll: true });
        }}
      >
        <ShellOutput transcript={transcript} />
        <form
          className={styles.line}
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          {running === null && <Prompt folder={folder} />}
          <input
            ref={input}
            className={styles.input}
            aria-label="命令"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            enterKeyHint="send"
            maxLength={longestLine}
            // It keeps the focus, and with it Ctrl+C.
            readOnly={running !== null}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={(event) => {
              if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
              event.preventDefault();
              if (running === null) walk(event.key === "ArrowUp" ? -1 : 1);
            }}
          />
          {touch && running === null && <HeadButton icon="up" label="上一条命令" onClick={() => walk(-1)} />}
        </form>
      </div>
    </section>
  );
}

function ShellState() {
  const running = useShell((shell) => shell.running);
  const status = useShell((shell) => shell.status);
  if (running !== null)
    return (
      <>
        <Icon name="progress" size={14} spin />
        <span className={styles.words}>正在运行 {running}</span>
      </>
    );
  if (status === null) return null;
  return (
    <StateText icon={status === 0 ? "success" : "alert"} tone={status === 0 ? "success" : "error"}>
      {`退出状态 ${status}`}
    </StateText>
  );
}

function HeadButton({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) {
  return (
    <Button
      type="text"
      icon={<Icon name={icon} size={14} />}
      aria-label={label}
      title={label}
      onClick={onClick}
    />
  );
}
