// biome-ignore-all lint/a11y/useSemanticElements: a real table cannot hold only the rows in sight
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names the active card
// The listing as cards, several side by side. Only the rows in sight are in the page; the grid has the focus and the
// keys, as in the list.
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useMemo, useRef, useState } from "react";
import type { FileListProps } from "./FileList";
import { keyOf, type ListKey } from "./list-keys";
import { MosaicCard } from "./MosaicCard";
import styles from "./MosaicList.module.css";
import { cardAcross, type MosaicRow, mosaicRows, rowOf } from "./mosaic-rows";
import { menuButtonIn, RowMenu } from "./RowMenu";
import { isSelected } from "./selection";
import { useColumns } from "./useColumns";
import { useRowEvents } from "./useRowEvents";
import { useRowMenu } from "./useRowMenu";

const heights: Record<MosaicRow["kind"], number> = { head: 36, folders: 72, files: 200 };

type MosaicListProps = Omit<FileListProps, "rowHeight" | "sorting" | "onSort" | "onSelectAll" | "onClear"> & {
  folders: number;
};

export function MosaicList(props: MosaicListProps) {
  const { items, shown, total, folders, refreshing, covered, selection, active, friendlyOf, isCut } = props;
  const { firstSeen } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const [byKeys, setByKeys] = useState(selection.active !== null);
  const ids = useId();
  const columns = useColumns(scroller);
  const rows = useMemo(
    () => mosaicRows(items.slice(0, shown), columns, { folders, files: total - folders }),
    [items, shown, columns, folders, total],
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heights[rows[index]?.kind ?? "head"],
    overscan: 3,
  });
  const lastSeen = virtual.range?.endIndex ?? -1;

  // Another number of columns makes other rows of other heights.
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again exactly when the rows change
  useEffect(() => virtual.measure(), [rows, virtual]);

  // A returning user begins where they were, and the top row stays when the number of columns changes.
  const goToFirst = useEffectEvent(() => {
    if (firstSeen.current > 0) virtual.scrollToIndex(rowOf(rows, firstSeen.current), { align: "start" });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: at first, and with each other number of columns
  useEffect(() => goToFirst(), [columns]);

  const start = virtual.range?.startIndex;
  const noteFirst = useEffectEvent((at: number) => {
    const row = rows.slice(at).find(({ kind }) => kind !== "head");
    if (row && row.kind !== "head") firstSeen.current = row.first;
  });
  useEffect(() => {
    if (start !== undefined) noteFirst(start);
  }, [start]);

  const more = useEffectEvent(props.onMore);
  useEffect(() => {
    if (shown > 0 && lastSeen >= rows.length - 1 && shown < total) more();
  }, [lastSeen, rows.length, shown, total]);

  useEffect(() => {
    if (!covered && document.activeElement === document.body) grid.current?.focus({ preventScroll: true });
  }, [covered]);

  const activeRow = active < 0 ? -1 : rowOf(rows, active);
  useEffect(() => {
    if (activeRow >= 0) virtual.scrollToIndex(activeRow);
  }, [activeRow, virtual]);

  function listKeyOf(event: KeyboardEvent): ListKey | null {
    const { key, shiftKey, ctrlKey, metaKey } = event;
    const walk = (to: number): ListKey => ({ kind: "walk", to, extend: shiftKey, keep: ctrlKey || metaKey });
    if (key === "ArrowDown" || key === "ArrowUp")
      return walk(cardAcross(rows, active, key === "ArrowDown" ? 1 : -1));
    if (key === "ArrowRight") return walk(Math.min(shown - 1, active + 1));
    if (key === "ArrowLeft") return walk(Math.max(0, active - 1));
    return keyOf(event, active, shown - 1, columns * 3);
  }

  function pressed(event: KeyboardEvent<HTMLElement>) {
    // The scroll container can have the focus, and passes its keys on.
    if (event.target !== event.currentTarget && event.target !== scroller.current) return;
    const key = listKeyOf(event);
    if (!key) return;
    event.preventDefault();
    if (event.target === scroller.current) event.currentTarget.focus({ preventScroll: true });
    setByKeys(true);
    if (key.kind !== "menu") props.onKey(key);
    else menuButtonIn(`${ids}-${active}`)?.click();
  }

  const { menu, openMenu, onContext, onGround, closeMenu } = useRowMenu({ ...props, grid });
  const events = useRowEvents({ ...props.events, onMenu: openMenu, onContext });
  return (
    <div
      ref={grid}
      role="grid"
      aria-label="文件"
      aria-rowcount={rows.length}
      aria-multiselectable
      aria-busy={refreshing}
      aria-activedescendant={active >= 0 ? `${ids}-${active}` : undefined}
      tabIndex={0}
      className={byKeys ? `${styles.grid} ${styles.byKeys}` : styles.grid}
      onKeyDown={pressed}
      onKeyUp={({ key }) => key === "Tab" && setByKeys(true)}
      onPointerDown={() => setByKeys(false)}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable for the keyboard (WCAG 2.1.1) */}
      <div ref={scroller} role="rowgroup" tabIndex={0} className={styles.scroller} onContextMenu={onGround}>
        <div role="presentation" className={styles.body} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, size }) => {
            const row = rows[index];
            if (!row) return null;
            const place = { height: size, transform: `translateY(${start}px)` };
            if (row.kind === "head")
              return (
                <div key={index} role="row" aria-rowindex={index + 1} className={styles.head} style={place}>
                  <div role="gridcell">{row.text}</div>
                </div>
              );
            return (
              <div
                key={index}
                role="row"
                aria-rowindex={index + 1}
                className={styles.row}
                style={{ ...place, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
              >
                {row.items.map((item, offset) => (
                  <MosaicCard
                    key={item.path}
                    id={`${ids}-${row.first + offset}`}
                    item={item}
                    selected={isSelected(selection, item)}
                    active={row.first + offset === active}
                    cut={isCut(item)}
                    friendly={friendlyOf(item.path)}
                    events={events}
                  />
                ))}
              </div>
            );
          })}
        </div>
        <div className={styles.foot}>{props.foot}</div>
      </div>
      {menu && <RowMenu {...menu} onClose={closeMenu} />}
    </div>
  );
}
