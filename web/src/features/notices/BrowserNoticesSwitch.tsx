// Whether this browser shows notices outside of the page; and where it can't, why.
import { Switch } from "antd";
import {
  type BrowserNotices,
  turnOffBrowserNotices,
  turnOnBrowserNotices,
  useBrowserNotices,
} from "@/shared/notices/browser-notices";
import styles from "./NoticesPage.module.css";

const notes: Readonly<Record<BrowserNotices, string>> = {
  unsupported: "当前浏览器不支持",
  insecure: "通过 HTTPS 访问平台后可用",
  denied: "浏览器已禁止本站发送通知，请在浏览器的网站设置中允许",
  off: "页面不在眼前时，由浏览器弹出新通知",
  on: "页面不在眼前时，由浏览器弹出新通知",
};

export function BrowserNoticesSwitch() {
  const state = useBrowserNotices((notices) => notices.state);
  const possible = state === "on" || state === "off";
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the switch is its control
    <label className={styles.browser}>
      <Switch
        aria-label="桌面通知"
        aria-describedby="browser-notices-note"
        checked={state === "on"}
        disabled={!possible}
        onChange={(on) => (on ? void turnOnBrowserNotices() : turnOffBrowserNotices())}
      />
      桌面通知
      <small id="browser-notices-note">{notes[state]}</small>
    </label>
  );
}
