// biome-ignore-all lint/a11y/useSemanticElements: a real table cannot hold only the rows in sight
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names the active card
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid has the keys
// One entry as a card. Clicks, touches and drags mean the same as in the list.
import { memo } from "react";
import { formatSize } from "@/shared/lib/numbers";
import { fileTime, fullTime } from "@/shared/lib/time";
import { Icon } from "@/shared/theme/Icon";
import { FileName } from "@/shared/ui/FileName";
import type { Item } from "../api";
import { asFolder, shownName } from "../disk-paths";
import { kindOf } from "../kinds";
import { endDrag, startDrag, useDropTarget } from "../operations/drag";
import { Thumb } from "../preview/Thumb";
import type { RowEvents } from "./FileRow";
import styles from "./MosaicList.module.css";
import { RowCheck } from "./RowCheck";

interface MosaicCardProps {
  id: string;
  item: Item;
  selected: boolean;
  active: boolean;
  cut: boolean;
  friendly: string | undefined;
  events: RowEvents;
}

export const MosaicCard = memo(function MosaicCard(props: MosaicCardProps) {
  const { id, item, selected, active, cut, friendly, events } = props;
  const { icon } = kindOf(item);
  const name = shownName(item.name);
  const drop = useDropTarget(item.isDir ? asFolder(item.path) : "", (moved) => events.onDropOn(item, moved));
  const classes = [
    styles.card,
    item.isDir && styles.flat,
    selected && styles.selected,
    active && styles.active,
    cut && styles.cut,
    drop.over && styles.target,
  ];
  return (
    <div
      id={id}
      role="gridcell"
      aria-selected={selected}
      className={classes.filter(Boolean).join(" ")}
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
      {!item.isDir && (
        <div className={styles.picture}>
          <Thumb item={item} />
        </div>
      )}
      <div className={styles.words}>
        {item.isDir && <Icon name={icon} size={24} className={styles.folder} />}
        <div className={styles.lines}>
          <FileName name={name} className={styles.name} />
          <span className={styles.facts}>
            {friendly && <span>{friendly}</span>}
            {!item.isDir && <span>{formatSize(item.size)}</span>}
            <time dateTime={item.modified} title={fullTime(item.modified)}>
              {fileTime(item.modified)}
            </time>
          </span>
        </div>
        <button
          type="button"
          tabIndex={-1}
          className={styles.more}
          aria-label={`${name} 的更多操作`}
          aria-haspopup="menu"
          title="更多"
          onClick={(event) => {
            event.stopPropagation();
            events.onMenu(item, event.currentTarget);
          }}
          onDoubleClick={(event) => event.stopPropagation()}
        >
          <Icon name="more" size={14} />
        </button>
      </div>
      <span className={styles.check}>
        <RowCheck name={name} checked={selected} onToggle={() => events.onToggle(item)} />
      </span>
    </div>
  );
});
