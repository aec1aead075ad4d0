// Hears what the portal tells all pages, from shortly after the top bar is there until it goes.
import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { useEffect, useState } from "react";
import { alertsKey } from "@/shared/alerts/key";
import { announcementsKey } from "@/shared/api/announcements";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { openSocket, socketRefusal } from "@/shared/api/sockets";
import { updateInfoQuery } from "@/shared/api/update-info";
import { findingsKey } from "@/shared/findings/api";
import { noticesKey } from "@/shared/notices/api";
import { worksheetsKey } from "@/shared/worksheets/api";
import { listen } from "./listen";
// With the rest of the frame and not on demand: when it is needed, the server is about to be away.
import { RestartWarning } from "./RestartWarning";

/** In milliseconds. */
const connectDelay = 2_000;

const address = () => new URL("/api/websocket/broadcast", location.origin);

const refusedKey = "broadcast-refused";

/** What is asked for again when the portal says that it changed, as far as it is shown. */
const changes = new Map<string, QueryKey>([
  ["settings changed", publicSettingsQuery.queryKey],
  ["worksheets changed", [worksheetsKey]],
  ["findings changed", [findingsKey]],
  ["alerts changed", [alertsKey]],
  ["notices changed", [noticesKey]],
  ["announcements changed", [announcementsKey]],
  ["versions changed", updateInfoQuery.queryKey],
]);

export function Broadcast() {
  const { message, notification } = App.useApp();
  const cache = useQueryClient();
  const [restarting, setRestarting] = useState(false);

  useEffect(() => {
    let stop: (() => void) | undefined;
    const refetch = (queryKey: QueryKey) => void cache.invalidateQueries({ queryKey });

    function hear(text: string) {
      const changed = changes.get(text);
      if (changed) refetch(changed);
      else if (text === "restarting lab") setRestarting(true);
    }

    function connect() {
      if (typeof WebSocket === "undefined") {
        alert("您的浏览器不支持 WebSocket!,暂时无法接收更新之后的重启提示");
        return;
      }
      stop = listen({
        dial: () => openSocket(address()),
        refusal: () => socketRefusal(address()),
        onMessage: hear,
        onFailure: () => void message.error("与服务器的实时连接断开，正在重新连接", 2),
        // Stays: nothing here comes by itself until somebody has done something about it.
        onRefused: (description) =>
          notification.warning({ key: refusedKey, title: "实时更新不可用", description, duration: 0 }),
        onOpen: () => {
          notification.destroy(refusedKey);
          // The page may have asked for them before, and something may have changed since.
          changes.forEach(refetch);
        },
      });
    }

    const waiting = setTimeout(connect, connectDelay);
    return () => {
      clearTimeout(waiting);
      stop?.();
    };
  }, [cache, message, notification]);

  return restarting && <RestartWarning />;
}
