// The bar over every page: menu button where there is one, and the items of the user and the browser.
import { App, Tooltip } from "antd";
import { Suspense, useState, useSyncExternalStore } from "react";
import { Link } from "react-router";
import { latePart } from "@/shared/parts/late-part";
import { useErrorLog } from "@/shared/stores/error-log";
import { useUi } from "@/shared/stores/ui";
import { Icon } from "@/shared/theme/Icon";
import { Broadcast } from "../broadcast/Broadcast";
import { Breadcrumb } from "./Breadcrumb";
import { FindingsBell } from "./FindingsBell";
import { NoticesBell } from "./NoticesBell";
import styles from "./TopBar.module.css";
import { UserMenu } from "./UserMenu";

const SettingsDrawer = latePart(async () => (await import("../settings/SettingsDrawer")).default, "aside");

interface TopBarProps {
  menuOpen: boolean;
  onToggleMenu: () => void;
}

export function TopBar({ menuOpen, onToggleMenu }: TopBarProps) {
  const showSettings = useUi((ui) => ui.showSettings);
  const [settings, setSettings] = useState<"never" | "open" | "closed">("never");
  const [hint, setHint] = useState(false);
  return (
    <header className={styles.bar}>
      <button
        type="button"
        className={styles.button}
        aria-label={menuOpen ? "收起菜单" : "展开菜单"}
        aria-expanded={menuOpen}
        aria-controls="side-menu"
        onClick={onToggleMenu}
      >
        <Icon name="menu" />
      </button>
      <Breadcrumb />
      <FindingsBell />
      <NoticesBell />
      <ErrorBell />
      {showSettings && (
        <Tooltip title="界面设置" open={hint && settings !== "open"} onOpenChange={setHint}>
          <button
            type="button"
            className={styles.button}
            aria-label="界面设置"
            onClick={() => {
              setSettings("open");
              // The drawer covers the button before the mouse can leave it.
              setHint(false);
            }}
          >
            <Icon name="sliders" />
          </button>
        </Tooltip>
      )}
      <FullscreenButton />
      <UserMenu />
      <Broadcast />
      {settings !== "never" && (
        <Suspense>
          <SettingsDrawer open={settings === "open"} onClose={() => setSettings("closed")} />
        </Suspense>
      )}
    </header>
  );
}

/** Only there when something went wrong on this page. */
function ErrorBell() {
  const count = useErrorLog((log) => log.entries.length);
  if (count === 0) return null;
  return (
    <Tooltip title="错误日志">
      <Link to="/error-log/log" className={styles.button} aria-label={`错误日志，${count} 条`}>
        <Icon name="bell" />
        <span className={styles.dot}>{count > 99 ? "99+" : count}</span>
      </Link>
    </Tooltip>
  );
}

function subscribeFullscreen(notify: () => void) {
  document.addEventListener("fullscreenchange", notify);
  return () => document.removeEventListener("fullscreenchange", notify);
}

function FullscreenButton() {
  const { message } = App.useApp();
  const full = useSyncExternalStore(subscribeFullscreen, () => Boolean(document.fullscreenElement));
  const label = full ? "退出全屏" : "全屏";

  async function toggle() {
    try {
      if (full) await document.exitFullscreen();
      else await document.documentElement.requestFullscreen();
    } catch {
      message.warning("you browser can not work", 2);
    }
  }

  return (
    <Tooltip title={label}>
      <button
        type="button"
        className={`${styles.button} ${styles.wide}`}
        aria-label={label}
        aria-pressed={full}
        onClick={toggle}
      >
        <Icon name={full ? "exitFullscreen" : "fullscreen"} />
      </button>
    </Tooltip>
  );
}
