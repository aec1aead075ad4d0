// A group of the menu: unfolds below itself, or, when the menu is collapsed, into a menu at its side.
import { useRef, useState } from "react";
import { Link, useNavigate } from "react-router";
import { Icon } from "@/shared/theme/Icon";
import { DropMenu } from "@/shared/ui/DropMenu";
import type { MenuGroup } from "../routing/menu";
import { MenuLink } from "./MenuLink";
import styles from "./SideMenu.module.css";

interface GroupProps {
  group: MenuGroup;
  /** The shown page's pattern. */
  path: string;
  holdsCurrent: boolean;
}

export function MenuGroupItem({ group, path, holdsCurrent, onOpen }: GroupProps & { onOpen: () => void }) {
  const [open, setOpen] = useState(holdsCurrent);
  const [held, setHeld] = useState(holdsCurrent);
  // Going to a page of the group by another way unfolds it; the user may fold it again.
  if (held !== holdsCurrent) {
    setHeld(holdsCurrent);
    if (holdsCurrent) setOpen(true);
  }
  const id = `menu-${group.segment}`;
  return (
    <>
      <button
        type="button"
        className={holdsCurrent ? `${styles.item} ${styles.holds}` : styles.item}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {group.icon && <Icon name={group.icon} />}
        {group.title}
        <Icon name={open ? "up" : "down"} size={12} className={styles.arrow} />
      </button>
      <ul id={id} hidden={!open}>
        {group.pages.map((page) => (
          <li key={page.path}>
            <MenuLink page={page} current={page.path === path} child onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </>
  );
}

export function CollapsedGroup({ group, path, holdsCurrent }: GroupProps) {
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  // The hover that opens it is delayed: after a quick choice it would open again, and stay.
  const hasChosen = useRef(false);
  const beginAgain = () => {
    hasChosen.current = false;
  };
  return (
    <DropMenu
      placement="bottomLeft"
      trigger={["hover", "click"]}
      open={open}
      onOpenChange={(next) => setOpen(next && !hasChosen.current)}
      // The keyboard begins at the first page, not where the mouse was last.
      destroyOnHidden
      menu={{
        onClick: () => {
          hasChosen.current = true;
          setOpen(false);
        },
        selectedKeys: [path],
        items: group.pages.map((page) => ({
          key: page.path,
          label: <Link to={page.to}>{page.title}</Link>,
          // The menu hands the keyboard's Enter to the item, never to the link in it.
          onClick: ({ domEvent }) => domEvent.type === "keydown" && void navigate(page.to),
        })),
      }}
    >
      <button
        type="button"
        className={holdsCurrent ? `${styles.item} ${styles.current}` : styles.item}
        aria-label={group.title}
        aria-haspopup="menu"
        onMouseEnter={beginAgain}
        onPointerDown={beginAgain}
        onKeyDown={beginAgain}
      >
        {group.icon && <Icon name={group.icon} />}
      </button>
    </DropMenu>
  );
}
