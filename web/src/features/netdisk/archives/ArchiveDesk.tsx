// The list of one folder of an archive; its folders open in place.
import { useVirtualizer } from "@tanstack/react-virtual";
import { Button } from "antd";
import { useMemo, useRef, useState } from "react";
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { fileTime, fullTime } from "@/shared/lib/time";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { FileName } from "@/shared/ui/FileName";
import { usePhone } from "@/shared/ui/usePhone";
import { shownName } from "../disk-paths";
import { iconOfName } from "../kinds";
import bar from "../viewing/ViewBar.module.css";
import styles from "./Archive.module.css";
import type { ArchiveList } from "./entry";
import { type Row, rowsIn } from "./tree";

export function ArchiveDesk({ archive: { format, entries, note } }: { archive: ArchiveList }) {
  const [folder, setFolder] = useState<readonly string[]>([]);
  const rowHeight = usePhone() ? 44 : 36;
  const scroller = useRef<HTMLElement>(null);
  const rows = useMemo(() => rowsIn(entries, folder), [entries, folder]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const files = useMemo(() => entries.filter(({ isDir }) => !isDir), [entries]);
  const total = useMemo(() => files.reduce((sum, { size }) => sum + size, 0), [files]);

  function open(next: readonly string[]) {
    setFolder(next);
    virtual.scrollToOffset(0);
    // The row that had the focus is gone.
    scroller.current?.focus({ preventScroll: true });
  }

  return (
    <div className={bar.view}>
      <nav className={bar.bar} aria-label="压缩包里的位置">
        <Button type="text" size="small" disabled={folder.length === 0} onClick={() => open([])}>
          {format}
        </Button>
        {folder.map((name, at) => (
          <span key={folder.slice(0, at + 1).join("/")} className={styles.crumb}>
            <Icon name="right" size={10} />
            <Button
              type="text"
              size="small"
              disabled={at === folder.length - 1}
              onClick={() => open(folder.slice(0, at + 1))}
            >
              {shownName(name)}
            </Button>
          </span>
        ))}
        <span className={bar.gap} />
        <span className={bar.state}>
          {formatCount(files.length)} 个文件，解压后 {formatSize(total)}
        </span>
      </nav>
      {note !== "" && <div className={bar.note}>{note}</div>}
      {entries.some(({ encrypted }) => encrypted) && (
        <div className={bar.note}>压缩包有密码，只能看到名称</div>
      )}
      {rows.length === 0 ? (
        <EmptyPanel icon="fileArchive" text="这里是空的" note="这个文件夹里没有内容" />
      ) : (
        <section
          ref={scroller}
          className={styles.scroller}
          aria-label="压缩包的内容"
          data-scrolls
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable for the keyboard (WCAG 2.1.1)
          tabIndex={0}
        >
          <ul style={{ position: "relative", height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, start }) => {
              const row = rows[index];
              return (
                row && (
                  <li
                    key={index}
                    className={styles.row}
                    style={{ height: rowHeight, transform: `translateY(${start}px)` }}
                  >
                    <ArchiveRow row={row} onOpen={() => open([...folder, row.title])} />
                  </li>
                )
              );
            })}
          </ul>
        </section>
      )}
    </div>
  );
}

function ArchiveRow({ row, onOpen }: { row: Row; onOpen: () => void }) {
  const { title, isDir, size, modified } = row;
  const name = shownName(title);
  return (
    <>
      <Icon name={isDir ? "folder" : iconOfName(title)} className={isDir ? styles.folder : styles.icon} />
      {isDir ? (
        <button type="button" className={styles.open} onClick={onOpen}>
          <FileName name={name} />
        </button>
      ) : (
        <FileName name={name} className={styles.name} />
      )}
      <span className={styles.size}>{formatSize(size)}</span>
      <span className={styles.time}>
        {modified && (
          <time dateTime={modified} title={fullTime(modified)}>
            {fileTime(modified)}
          </time>
        )}
      </span>
    </>
  );
}
