// Over everything while the lab restarts, until the page loads itself anew.
import { Modal } from "antd";
import { useEffect, useState } from "react";
import { portal } from "@/shared/api/client";
import { useProductName } from "@/shared/api/public-settings";

const countdown = 10;

/** A page that is asked of a stopped server is the browser's error page, which does not reload itself. */
const isServerUp = () =>
  portal.GET("/health", { parseAs: "text" }).then(
    ({ response }) => response.ok,
    () => false,
  );

export function RestartWarning() {
  const product = useProductName();
  const [left, setLeft] = useState(countdown);

  useEffect(() => {
    // By the clock: in a tab that nobody sees, timers may come late.
    const end = Date.now() + countdown * 1000;
    let asking = false;
    const timer = setInterval(async () => {
      const seconds = Math.max(0, Math.round((end - Date.now()) / 1000));
      setLeft(seconds);
      if (seconds > 0 || asking) return;
      asking = true;
      if (await isServerUp()) {
        // Once: whoever has unsaved work is asked by the browser, and may stay.
        clearInterval(timer);
        location.reload();
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
      // Nothing to press: whoever is typing would press it unawares.
      footer={null}
    >
      <p>实验室已更新，正在重启，请停止一切操作。</p>
      <p role="timer">
        {left > 0 ? `页面将在 ${left} 秒后自动刷新。` : "正在等待服务器启动，启动后页面自动刷新。"}
      </p>
    </Modal>
  );
}
