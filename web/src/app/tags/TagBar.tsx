// The visited pages as a row of tabs under the top bar. Arrow keys move along it, Delete closes, and the context menu
// (also by the menu key or Shift+F10) has the four actions.
import type { MenuProps } from "antd";
import { type KeyboardEvent, useEffect, useMemo, useRef } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import { useSession } from "@/shared/stores/session";
import { Icon } from "@/shared/theme/Icon";
import { DropMenu } from "@/shared/ui/DropMenu";
import { useCurrentPage } from "../routing/current-page";
import { routesFor } from "../routing/registry";
import styles from "./TagBar.module.css";
import { closeAll, closeOthers, closeTag, pinnedTags, pinTags, type Tag, useTags, visit } from "./tags";

const home = "/dashboard";

function useVisits() {
  const role = useSession((session) => session.role);
  const pinned = useMemo(() => pinnedTags(routesFor(role)), [role]);
  const page = useCurrentPage();
  const { pathname, search } = useLocation();
  useEffect(() => pinTags(pinned), [pinned]);
  const key = page?.key;
  const title = page?.title ?? "";
  const noCache = page?.route.meta.noCache ?? false;
  useEffect(() => {
    if (key) visit({ key, title, address: pathname + search, noCache });
  }, [key, title, noCache, pathname, search]);
  return key;
}

function moveFocus(event: KeyboardEvent<HTMLElement>, step: number) {
  const links = Array.from(event.currentTarget.querySelectorAll<HTMLElement>("[data-tag]"));
  const at = links.indexOf(document.activeElement as HTMLElement);
  links[(at + step + links.length) % links.length]?.focus();
}

export function TagBar() {
  const current = useVisits();
  const tags = useTags((state) => state.tags);
  const navigate = useNavigate();
  const bar = useRef<HTMLElement>(null);

  useEffect(() => {
    bar.current
      ?.querySelector(`[data-tag="${CSS.escape(current ?? "")}"]`)
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current]);

  function close(tag: Tag) {
    const neighbour = closeTag(tag.key);
    if (tag.key === current) void navigate(neighbour?.to ?? home);
    else bar.current?.querySelector<HTMLElement>('[aria-current="page"]')?.focus();
  }

  function actions(tag: Tag): MenuProps["items"] {
    return [
      {
        key: "refresh",
        label: "刷新",
        onClick: () => void navigate(`/redirect${tag.to}`, { replace: tag.key === current }),
      },
      { key: "close", label: "关闭", disabled: tag.pinned, onClick: () => close(tag) },
      {
        key: "others",
        label: "关闭其他",
        onClick: () => {
          closeOthers(tag.key);
          if (tag.key !== current) void navigate(tag.to);
        },
      },
      {
        key: "all",
        label: "关闭全部",
        onClick: () => {
          closeAll();
          if (!tags.some((other) => other.pinned && other.key === current)) void navigate(home);
        },
      },
    ];
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (event.key === "ArrowRight") moveFocus(event, 1);
    else if (event.key === "ArrowLeft") moveFocus(event, -1);
    else if (event.key === "Delete") {
      const key = (event.target as HTMLElement).dataset.tag;
      const tag = tags.find((other) => other.key === key);
      if (tag && !tag.pinned) close(tag);
    } else return;
    event.preventDefault();
  }

  return (
    <nav ref={bar} className={styles.bar} aria-label="打开的页面" onKeyDown={onKeyDown}>
      {tags.map((tag) => (
        <TagItem
          key={tag.key}
          tag={tag}
          current={tag.key === current}
          actions={actions(tag)}
          onClose={() => close(tag)}
        />
      ))}
    </nav>
  );
}

interface TagItemProps {
  tag: Tag;
  current: boolean;
  actions: MenuProps["items"];
  onClose: () => void;
}

function TagItem({ tag, current, actions, onClose }: TagItemProps) {
  return (
    <DropMenu
      trigger={["contextMenu"]}
      menu={{ items: actions }}
      classNames={{ root: styles.menu }}
      styles={{ root: { width: 105, minWidth: 105 } }}
    >
      <span className={current ? `${styles.tag} ${styles.current}` : styles.tag}>
        <Link
          to={tag.to}
          className={styles.link}
          data-tag={tag.key}
          aria-current={current ? "page" : undefined}
          onAuxClick={(event) => {
            if (event.button !== 1 || tag.pinned) return;
            event.preventDefault();
            onClose();
          }}
        >
          {tag.pinned && <Icon name="pin" size={12} />}
          {tag.title}
        </Link>
        {!tag.pinned && (
          <button
            type="button"
            className={styles.close}
            aria-label={`关闭 ${tag.title}`}
            tabIndex={-1}
            onClick={onClose}
          >
            <Icon name="close" size={12} />
          </button>
        )}
      </span>
    </DropMenu>
  );
}
