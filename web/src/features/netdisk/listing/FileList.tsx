// biome-ignore-all lint/a11y/useSemanticElements: a real table cannot hold only the rows in sight
// The listing: only the rows in sight are in the page, however many there are. The grid has the focus and the keys;
// `aria-activedescendant` names the row that they go to, so that it may scroll out of the page meanwhile.
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from "react";
import type { RowAction } from "@/shared/table/RowActions";
import type { Item, Sorting } from "../api";
import styles from "./FileList.module.css";
import { FileRow, type RowEvents } from "./FileRow";
import { ListHead } from "./ListHead";
import { keyOf, type ListKey } from "./list-keys";
import { menuButtonIn, RowMenu } from "./RowMenu";
import { countOf, isSelected, type Selection } from "./selection";
import { useRowEvents } from "./useRowEvents";
import { useRowMenu } from "./useRowMenu";

export interface FileListProps {
  items: readonly Item[];
  /** The number of shown entries; `onMore` requests the next. */
  shown: number;
  /** How many there are in the folder. */
  total: number;
  /** The entries are cached; newer ones are being fetched. */
  refreshing: boolean;
  sorting: Sorting;
  selection: Selection;
  /** The index of the keyboard's row among the shown ones; -1 for none. */
  active: number;
  rowHeight: number;
  friendlyOf: (path: string) => string | undefined;
  /** Was cut, and waits to be put somewhere else. */
  isCut: (item: Item) => boolean;
  events: Omit<RowEvents, "onMenu" | "onContext">;
  /** Of one entry, or of the selection that it belongs to. */
  actionsFor: (item: Item) => RowAction[];
  folderActions: () => RowAction[];
  /** A finger was held on it. */
  onHold: (item: Item) => void;
  onSort: (sorting: Sorting) => void;
  onMore: () => void;
  onSelectAll: () => void;
  onClear: () => void;
  onKey: (key: Exclude<ListKey, { kind: "menu" }>) => void;
  /** Something lies over the page. */
  covered: boolean;
  /** Which entry is the first in sight; the list begins there, and writes down where it has got to. */
  firstSeen: RefObject<number>;
  /** Below the last row. */
  foot: ReactNode;
}

export function FileList(props: FileListProps) {
  const { items, shown, total, refreshing, sorting, selection, active, rowHeight, friendlyOf, onMore } =
    props;
  const { isCut, onSort, onSelectAll, onClear, onKey, firstSeen, foot } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  // A focus set by script counts as the keyboard's for the browser; the mouse needs no ring around its row. A returning
  // user sees where they were.
  const [byKeys, setByKeys] = useState(selection.active !== null);
  const ids = useId();
  const virtual = useVirtualizer({
    count: shown,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    initialOffset: () => firstSeen.current * rowHeight,
  });
  const lastSeen = virtual.range?.endIndex ?? -1;
  const first = virtual.range?.startIndex;

  useEffect(() => {
    if (first !== undefined) firstSeen.current = first;
  }, [first, firstSeen]);

  const more = useEffectEvent(onMore);
  useEffect(() => {
    if (shown > 0 && lastSeen >= shown - 1 && shown < total) more();
  }, [lastSeen, shown, total]);

  // After a folder was opened by keyboard nothing has the focus: its row is gone. The same after a prompt was closed.
  const { covered } = props;
  useEffect(() => {
    if (!covered && document.activeElement === document.body) grid.current?.focus({ preventScroll: true });
  }, [covered]);

  useEffect(() => {
    if (active >= 0) virtual.scrollToIndex(active);
  }, [active, virtual]);

  function pressed(event: KeyboardEvent<HTMLElement>) {
    // The head's buttons and checkboxes have their own keys. The scroll container can have the focus, and passes its
    // keys on.
    if (event.target !== event.currentTarget && event.target !== scroller.current) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const key = keyOf(event, active, shown - 1, page);
    if (!key) return;
    event.preventDefault();
    if (event.target === scroller.current) event.currentTarget.focus({ preventScroll: true });
    setByKeys(true);
    if (key.kind !== "menu") onKey(key);
    else menuButtonIn(`${ids}-${active}`)?.click();
  }

  const { menu, openMenu, onContext, onGround, closeMenu } = useRowMenu({ ...props, grid });
  const rowEvents = useRowEvents({ ...props.events, onMenu: openMenu, onContext });
  const count = countOf(selection, total);
  const selected = count === 0 ? "none" : count >= total ? "all" : "some";
  return (
    <div
      ref={grid}
      role="grid"
      aria-label="文件"
      aria-rowcount={total + 1}
      aria-multiselectable
      aria-busy={refreshing}
      aria-activedescendant={active >= 0 ? `${ids}-${active}` : undefined}
      tabIndex={0}
      className={byKeys ? `${styles.grid} ${styles.byKeys}` : styles.grid}
      onKeyDown={pressed}
      onKeyUp={({ key }) => key === "Tab" && setByKeys(true)}
      onPointerDown={() => setByKeys(false)}
    >
      {refreshing && <div className={styles.refreshing} aria-hidden="true" />}
      <ListHead {...{ sorting, onSort, selected, onSelectAll, onClear }} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable for the keyboard (WCAG 2.1.1) */}
      <div ref={scroller} role="rowgroup" tabIndex={0} className={styles.scroller} onContextMenu={onGround}>
        <div role="presentation" className={styles.body} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const item = items[index];
            if (!item) return null;
            return (
              <FileRow
                key={index}
                id={`${ids}-${index}`}
                item={item}
                rowIndex={index + 2}
                top={start}
                height={rowHeight}
                selected={isSelected(selection, item)}
                active={index === active}
                cut={isCut(item)}
                friendly={friendlyOf(item.path)}
                events={rowEvents}
              />
            );
          })}
        </div>
        <div className={styles.foot}>{foot}</div>
      </div>
      {menu && <RowMenu {...menu} onClose={closeMenu} />}
    </div>
  );
}
