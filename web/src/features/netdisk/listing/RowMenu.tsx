// The menu of a row, one for the whole list: a menu in each row would make scrolling slow.
import type { RowAction } from "@/shared/table/RowActions";
import { DropMenu } from "@/shared/ui/DropMenu";
import styles from "./FileList.module.css";

/** Where a row's button was pressed, or the mouse was clicked. */
export interface MenuPlace {
  x: number;
  y: number;
  placement: "bottomLeft" | "bottomRight";
}

export function placeBelow(button: HTMLElement): MenuPlace {
  const { right, bottom } = button.getBoundingClientRect();
  return { x: right, y: bottom, placement: "bottomRight" };
}

/** The menu key means the same as the button of the active entry. */
export const menuButtonIn = (entryId: string) =>
  document.getElementById(entryId)?.querySelector<HTMLElement>('[aria-haspopup="menu"]');

interface RowMenuProps {
  place: MenuPlace;
  actions: readonly RowAction[];
  onClose: () => void;
}

export function RowMenu({ place, actions, onClose }: RowMenuProps) {
  return (
    <DropMenu
      open
      trigger={["click"]}
      placement={place.placement}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      menu={{
        onClick: ({ domEvent }) => {
          // The key that chooses must not also reach the field that is focused next.
          domEvent.preventDefault();
          onClose();
        },
        items: actions.map(({ key, label, danger = false, disabledReason, onClick }) => ({
          key,
          danger,
          disabled: disabledReason !== undefined,
          onClick,
          label: (
            <span className={styles.action}>
              {label}
              {disabledReason && <small>{disabledReason}</small>}
            </span>
          ),
        })),
      }}
    >
      <span className={styles.anchor} style={{ left: place.x, top: place.y }} />
    </DropMenu>
  );
}
