// The menu of a row, of which there is one for the whole list: a menu in each row would make scrolling heavy.
import { Dropdown } from "antd";
import type { RowAction } from "@/shared/ui/RowActions";
import styles from "./FileList.module.css";

/** Where a row's button was pressed. */
export interface MenuPlace {
  x: number;
  y: number;
}

interface RowMenuProps {
  place: MenuPlace;
  actions: readonly RowAction[];
  onClose: () => void;
}

export function RowMenu({ place, actions, onClose }: RowMenuProps) {
  return (
    <Dropdown
      open
      autoFocus
      trigger={["click"]}
      placement="bottomRight"
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      menu={{
        onClick: onClose,
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
    </Dropdown>
  );
}
