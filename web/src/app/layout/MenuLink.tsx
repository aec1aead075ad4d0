import { Link } from "react-router";
import { Icon } from "@/shared/theme/Icon";
import type { MenuPage } from "../routing/menu";
import styles from "./SideMenu.module.css";

interface MenuLinkProps {
  page: MenuPage;
  current: boolean;
  collapsed?: boolean;
  child?: boolean;
  /** Also called when the link leads to the shown page, so that the drawer closes then too. */
  onOpen?: () => void;
}

export function MenuLink({ page, current, collapsed = false, child = false, onOpen }: MenuLinkProps) {
  const classes = [styles.item, child && styles.child, current && styles.current];
  return (
    <Link
      to={page.to}
      className={classes.filter(Boolean).join(" ")}
      aria-current={current ? "page" : undefined}
      aria-label={collapsed ? page.title : undefined}
      title={collapsed ? page.title : undefined}
      onClick={onOpen}
    >
      {page.icon && !child && <Icon name={page.icon} />}
      {!collapsed && page.title}
    </Link>
  );
}
