// biome-ignore-all lint/a11y/useSemanticElements: a real table cannot hold only the rows in sight
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names the active row
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid has the keys
// One entry of a listing. A click selects, a double click or a touch opens; the rest is under ⋯ and the right button.
import { type MouseEvent, memo } from "react";
import { formatSize } from "@/shared/lib/numbers";
import { fileTime, fullTime } from "@/shared/lib/time";
import { Icon } from "@/shared/theme/Icon";
import { FileName } from "@/shared/ui/FileName";
import type { Item } from "../api";
import { asFolder, shownName } from "../disk-paths";
import { kindOf } from "../kinds";
import { endDrag, startDrag, useDropTarget } from "../operations/drag";
import type { Moved } from "../operations/relocate";
import styles from "./FileList.module.css";
import { RowCheck } from "./RowCheck";

export interface RowEvents {
  onClick: (item: Item, event: MouseEvent) => void;
  onDoubleClick: (item: Item) => void;
  onToggle: (item: Item) => void;
  onMenu: (item: Item, button: HTMLElement) => void;
  /** The right button, or a long press. */
  onContext: (item: Item, event: MouseEvent) => void;
  /** The entries that are dragged with this one; empty where nothing may be moved. */
  draggedOf: (item: Item) => readonly Moved[];
  onDropOn: (folder: Item, moved: readonly Moved[]) => void;
}

interface FileRowProps {
  id: string;
  item: Item;
  /** Its place in the whole folder, from 1; the head is row 1. */
  rowIndex: number;
  top: number;
  height: number;
  selected: boolean;
  active: boolean;
  cut: boolean;
  /** The displayed name, for the fixed folders. */
  friendly: string | undefined;
  events: RowEvents;
}

export const FileRow = memo(function FileRow(props: FileRowProps) {
  const { id, item, rowIndex, top, height, selected, active, cut, friendly, events } = props;
  const drop = useDropTarget(item.isDir ? asFolder(item.path) : "", (moved) => events.onDropOn(item, moved));
  const { label, icon } = kindOf(item);
  const name = shownName(item.name);
  const size = item.isDir ? "" : formatSize(item.size);
  const classes = [
    styles.row,
    selected && styles.selected,
    active && styles.active,
    cut && styles.cut,
    drop.over && styles.target,
  ];
  return (
    <div
      id={id}
      role="row"
      aria-rowindex={rowIndex}
      aria-selected={selected}
      className={classes.filter(Boolean).join(" ")}
      style={{ height, transform: `translateY(${top}px)` }}
      draggable={!item.invalidName}
      onDragStart={(event) => {
        const moved = events.draggedOf(item);
        if (moved.length > 0) startDrag(event, moved);
        else event.preventDefault();
      }}
      onDragEnd={endDrag}
      {...drop.on}
      onClick={(event) => events.onClick(item, event)}
      onDoubleClick={() => events.onDoubleClick(item)}
      onContextMenu={(event) => events.onContext(item, event)}
    >
      <div role="gridcell" className={styles.check} onClick={(event) => event.stopPropagation()}>
        <RowCheck name={name} checked={selected} onToggle={() => events.onToggle(item)} />
      </div>
      <div role="gridcell" className={styles.name}>
        <Icon name={icon} className={item.isDir ? styles.folder : undefined} />
        <FileName name={name} className={styles.words} />
        {friendly && <span className={styles.friendly}>{friendly}</span>}
      </div>
      <div role="gridcell" className={styles.kind}>
        {label}
      </div>
      <div role="gridcell" className={styles.size}>
        {size}
      </div>
      <div role="gridcell" className={styles.time}>
        <time dateTime={item.modified} title={fullTime(item.modified)}>
          {fileTime(item.modified)}
        </time>
      </div>
      <div
        role="gridcell"
        className={styles.more}
        onClick={(event) => event.stopPropagation()}
        onDoubleClick={(event) => event.stopPropagation()}
      >
        <button
          type="button"
          tabIndex={-1}
          aria-label={`${name} 的更多操作`}
          aria-haspopup="menu"
          title="更多"
          onClick={(event) => events.onMenu(item, event.currentTarget)}
        >
          <Icon name="more" size={14} />
        </button>
      </div>
    </div>
  );
});
