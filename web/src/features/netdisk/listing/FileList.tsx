// biome-ignore-all lint/a11y/useSemanticElements: a real table cannot hold only the rows in sight
// The listing: only the rows in sight are in the page, however many there are. The grid has the focus and the keys;
// which row they go to is said by `aria-activedescendant`, so that it may scroll out of the page meanwhile.
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from "react";
import type { RowAction } from "@/shared/ui/RowActions";
import type { Item, Sorting } from "../api";
import styles from "./FileList.module.css";
import { FileRow, type RowEvents } from "./FileRow";
import { ListHead } from "./ListHead";
import { keyOf, type ListKey } from "./list-keys";
import { type MenuPlace, RowMenu } from "./RowMenu";
import type { Selection } from "./selection";

export interface FileListProps {
  items: readonly Item[];
  /** How many of them are shown; `onMore` asks for the next. */
  shown: number;
  /** How many there are in the folder. */
  total: number;
  /** The entries are from before; newer ones are on their way. */
  refreshing: boolean;
  sorting: Sorting;
  selection: Selection;
  rowHeight: number;
  friendlyOf: (path: string) => string | undefined;
  /** Was cut, and waits to be put somewhere else. */
  isCut: (item: Item) => boolean;
  events: Omit<RowEvents, "onMenu">;
  actionsFor: (item: Item) => RowAction[];
  onSort: (sorting: Sorting) => void;
  onMore: () => void;
  onSelectAll: () => void;
  onClear: () => void;
  onKey: (key: ListKey) => void;
  /** Something lies over the page. */
  covered: boolean;
  /** Below the last row. */
  foot: ReactNode;
}

export function FileList(props: FileListProps) {
  const { items, shown, total, refreshing, sorting, selection, rowHeight, friendlyOf, events, onMore, foot } =
    props;
  const { isCut, actionsFor, onSort, onSelectAll, onClear, onKey } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  // The focus that a script set counts as the keyboard's for the browser; a mouse needs no ring around its row.
  const [byKeys, setByKeys] = useState(false);
  const [menu, setMenu] = useState<{ item: Item; place: MenuPlace } | null>(null);
  const ids = useId();
  const virtual = useVirtualizer({
    count: shown,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const lastSeen = virtual.range?.endIndex ?? -1;

  const more = useEffectEvent(onMore);
  useEffect(() => {
    if (shown > 0 && lastSeen >= shown - 1 && shown < total) more();
  }, [lastSeen, shown, total]);

  // After a folder was opened by keyboard the focus is nowhere: its row is gone. So it is after a prompt has closed.
  const { covered } = props;
  useEffect(() => {
    if (!covered && document.activeElement === document.body) grid.current?.focus({ preventScroll: true });
  }, [covered]);

  const active = items.findIndex((item, index) => index < shown && item.name === selection.active);

  useEffect(() => {
    if (active >= 0) virtual.scrollToIndex(active);
  }, [active, virtual]);

  function pressed(event: KeyboardEvent) {
    // The head's buttons and checkboxes have their own keys.
    if (event.target !== event.currentTarget) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const key = keyOf(event, active, shown - 1, page);
    if (!key) return;
    event.preventDefault();
    setByKeys(true);
    onKey(key);
  }

  function openMenu(item: Item, button: HTMLElement) {
    const { right, bottom } = button.getBoundingClientRect();
    setMenu({ item, place: { x: right, y: bottom } });
  }

  function closeMenu() {
    setMenu(null);
    grid.current?.focus({ preventScroll: true });
  }

  const rowEvents = { ...events, onMenu: openMenu };
  const selected = selection.names.size === 0 ? "none" : selection.names.size >= total ? "all" : "some";
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
      <div ref={scroller} role="rowgroup" tabIndex={0} className={styles.scroller}>
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
                selected={selection.names.has(item.name)}
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
      {menu && <RowMenu place={menu.place} actions={actionsFor(menu.item)} onClose={closeMenu} />}
    </div>
  );
}
