// biome-ignore-all lint/a11y/useFocusableInteractive: the list has the focus and names the active entry
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the list has the keys
// Chooses a folder, or a file where `files` are shown too: a click or the arrows choose one of those that are here, a double click or → opens it, ← goes up.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Icon } from "@/shared/theme/Icon";
import { resourceQuery } from "../api";
import { useDisk } from "../disk-context";
import { asFolder, diskRoot, parentOf, shownName } from "../disk-paths";
import styles from "./FolderPicker.module.css";

interface FolderPickerProps {
  start: string;
  /** Also lists files, and one may be chosen. */
  files?: boolean;
  /** The highlighted entry, otherwise the open folder. */
  onPick: (path: string) => void;
  onConfirm: () => void;
}

interface Choice {
  path: string;
  label: string;
  kind: "up" | "folder" | "file";
}

const icons = { up: "up", folder: "folder", file: "file" } as const;

const byName = { by: "name", asc: true } as const;

export function FolderPicker({ start, files = false, onPick, onConfirm }: FolderPickerProps) {
  const { host, titleOf } = useDisk();
  const [open, setOpen] = useState(start);
  const [active, setActive] = useState<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const ids = useId();
  const query = useInfiniteQuery(resourceQuery(host, open, byName));
  const loaded = (query.data?.pages ?? []).flatMap((page) => page.items ?? []);
  const inside = loaded
    .filter((item) => (item.isDir || files) && !item.invalidName)
    .map((item): Choice => {
      if (!item.isDir) return { path: item.path, label: shownName(item.name), kind: "file" };
      const path = asFolder(item.path);
      return { path, label: titleOf(path), kind: "folder" };
    });
  // Folders come before files, so after a file there are no more of them.
  const hasMore = query.hasNextPage && (files || loaded.at(-1)?.isDir === true);
  const up: Choice[] = open === diskRoot ? [] : [{ path: parentOf(open), label: "上一级", kind: "up" }];
  const choices = [...up, ...inside];

  useEffect(() => list.current?.focus(), []);

  function choose(choice: Choice | undefined) {
    if (!choice) return;
    setActive(choice.path);
    onPick(choice.kind === "up" ? open : choice.path);
    document.getElementById(`${ids}-${choices.indexOf(choice)}`)?.scrollIntoView({ block: "nearest" });
  }

  function enter(folder: string) {
    setOpen(folder);
    setActive(null);
    onPick(folder);
  }

  function pressed(event: KeyboardEvent) {
    const at = choices.findIndex(({ path }) => path === active);
    const chosen = choices[at];
    const action = actionOf(event.key, at, chosen);
    if (!action) return;
    event.preventDefault();
    action();
  }

  function actionOf(key: string, at: number, chosen: Choice | undefined): (() => void) | null {
    switch (key) {
      case "ArrowDown":
        return () => choose(choices[Math.min(choices.length - 1, at + 1)]);
      case "ArrowUp":
        return () => choose(choices[Math.max(0, at - 1)]);
      case "ArrowRight":
        return chosen && chosen.kind !== "file" ? () => enter(chosen.path) : null;
      case "ArrowLeft":
        return open === diskRoot ? null : () => enter(parentOf(open));
      case "Enter":
        return chosen?.kind === "up" ? () => enter(chosen.path) : onConfirm;
      default:
        return null;
    }
  }

  return (
    <div>
      <div className={styles.path} title={shownName(open)}>
        <Icon name="folder" size={14} /> {titleOf(open)}
      </div>
      <div
        ref={list}
        role="listbox"
        aria-label={files ? "文件" : "目标文件夹"}
        aria-busy={query.isPending}
        aria-activedescendant={
          active === null ? undefined : `${ids}-${choices.findIndex(({ path }) => path === active)}`
        }
        tabIndex={0}
        className={styles.list}
        onKeyDown={pressed}
      >
        {choices.map((choice, index) => (
          <div
            key={choice.path}
            id={`${ids}-${index}`}
            role="option"
            aria-selected={choice.path === active}
            className={choice.path === active ? `${styles.choice} ${styles.active}` : styles.choice}
            onClick={() => choose(choice)}
            onDoubleClick={() => (choice.kind === "file" ? onConfirm() : enter(choice.path))}
          >
            <Icon name={icons[choice.kind]} />
            <span className={styles.name}>{choice.label}</span>
            {choice.kind === "folder" && (
              // For the mouse; the keys have → for it.
              <span
                aria-hidden="true"
                className={styles.enter}
                title="打开"
                onClick={(event) => {
                  event.stopPropagation();
                  enter(choice.path);
                }}
              >
                <Icon name="right" size={12} />
              </span>
            )}
          </div>
        ))}
        {query.isError && <div className={styles.note}>没有读到：{query.error.message}</div>}
        {query.isSuccess && inside.length === 0 && (
          <div className={styles.note}>{files ? "这里是空的" : "里面没有文件夹"}</div>
        )}
      </div>
      {hasMore && (
        <Button type="link" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          显示更多
        </Button>
      )}
    </div>
  );
}
