// The side menu: 210 px, 56 when collapsed, a drawer of 248 over a scrim where the window is narrow.
import { useMemo } from "react";
import { useSession } from "@/shared/stores/session";
import { useCurrentPage } from "../routing/current-page";
import { buildMenu } from "../routing/menu";
import { routesFor } from "../routing/registry";
import { segmentOf } from "../routing/sections";
import { Brand } from "./Brand";
import { CollapsedGroup, MenuGroupItem } from "./MenuGroupItem";
import { MenuLink } from "./MenuLink";
import styles from "./SideMenu.module.css";

interface SideMenuProps {
  mobile: boolean;
  /** Expanded on a wide window, the open drawer on a narrow one. */
  open: boolean;
  onClose: () => void;
}

export function SideMenu({ mobile, open, onClose }: SideMenuProps) {
  const role = useSession((session) => session.role);
  const entries = useMemo(() => buildMenu(routesFor(role)), [role]);
  const page = useCurrentPage();
  const path = page?.route.path ?? "";
  const segment = segmentOf(path);
  const collapsed = !mobile && !open;
  const classes = [styles.side, mobile && styles.drawer, collapsed && styles.collapsed, open && styles.open];

  return (
    <>
      {mobile && open && (
        <button type="button" className={styles.scrim} aria-label="关闭菜单" onClick={onClose} />
      )}
      <aside id="side-menu" className={classes.filter(Boolean).join(" ")} inert={mobile && !open}>
        <Brand collapsed={collapsed} />
        <nav className={styles.menu} aria-label="主菜单">
          {entries.map((entry) => {
            if (entry.kind === "page") {
              const current = entry.page.path === path;
              return (
                <MenuLink
                  key={entry.page.path}
                  page={entry.page}
                  current={current}
                  collapsed={collapsed}
                  onOpen={onClose}
                />
              );
            }
            const { group } = entry;
            const props = { group, path, holdsCurrent: group.segment === segment };
            return collapsed ? (
              <CollapsedGroup key={group.segment} {...props} />
            ) : (
              <MenuGroupItem key={group.segment} {...props} onOpen={onClose} />
            );
          })}
        </nav>
      </aside>
    </>
  );
}
