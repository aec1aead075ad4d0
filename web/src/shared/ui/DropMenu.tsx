// A menu that opens at a button and gets the keyboard focus as soon as it is rendered: antd's `autoFocus` tries only
// once, after three frames, and on a busy machine the menu is rendered later.
import { Dropdown, type DropdownProps } from "antd";
import { useEffect, useRef, useState } from "react";

const enabledItem = '[role="menuitem"]:not([aria-disabled="true"])';

type DropMenuProps = Omit<DropdownProps, "autoFocus" | "popupRender">;

export function DropMenu({ open, onOpenChange, ...rest }: DropMenuProps) {
  const [opened, setOpened] = useState(false);
  const shown = open ?? opened;
  const popup = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!shown) return;
    let frame = 0;
    function enter() {
      const item = popup.current?.querySelector<HTMLElement>(enabledItem);
      item?.focus({ preventScroll: true });
      if (!item || document.activeElement !== item) frame = requestAnimationFrame(enter);
    }
    enter();
    return () => cancelAnimationFrame(frame);
  }, [shown]);

  return (
    <Dropdown
      {...rest}
      open={shown}
      onOpenChange={(next, info) => {
        setOpened(next);
        onOpenChange?.(next, info);
      }}
      popupRender={(menu) => <div ref={popup}>{menu}</div>}
    />
  );
}
