// Covers everything while the lab restarts, until the page reloads.
import { Modal } from "antd";
import { useEffect, useState } from "react";
import { portal } from "@/shared/api/client";
import { useProductName } from "@/shared/api/public-settings";
import { reloadPage } from "@/shared/lib/reload";

const countdown = 10;

/** Reloading while the server is stopped would show the browser's error page, which does not reload itself. */
const isServerUp = () =>
  portal.GET("/health", { parseAs: "text" }).then(
    ({ response }) => response.ok,
    () => false,
  );

export function RestartWarning() {
  const product = useProductName();
  const [left, setLeft] = useState(countdown);

  useEffect(() => {
    // By the clock: in a hidden tab, timers may be late.
    const end = Date.now() + countdown * 1000;
    let asking = false;
    const timer = setInterval(async () => {
      const seconds = Math.max(0, Math.round((end - Date.now()) / 1000));
      setLeft(seconds);
      if (seconds > 0 || asking) return;
      asking = true;
      if (await isServerUp()) {
        // Once: with unsaved work the browser asks, and the user may stay.
        clearInterval(timer);
        reloadPage();
      }
      asking = false;
    }, 1000);
    return () => clearInterval(timer);
  }, []);

  return (
    <Modal
      open
      title={`${product} 重启提醒`}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      width={440}
      zIndex={2000}
      // No button: a person who is typing would press it by accident.
      footer={null}
    >
      <p>实验室已更新，正在重启，请停止一切操作。</p>
      <p role="timer">
        {left > 0 ? `页面将在 ${left} 秒后自动刷新。` : "正在等待服务器启动，启动后页面自动刷新。"}
      </p>
    </Modal>
  );
}
