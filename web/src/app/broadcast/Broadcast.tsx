// Receives the portal's broadcasts, while the top bar is shown.
import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { useEffect, useState } from "react";
import { alertsKey } from "@/shared/alerts/key";
import { announcementsKey } from "@/shared/api/announcements";
import type { components } from "@/shared/api/portal";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { openSocket, socketRefusal } from "@/shared/api/sockets";
import { updateInfoQuery } from "@/shared/api/update-info";
import { findingsKey } from "@/shared/findings/api";
import { noticesKey } from "@/shared/notices/api";
import { worksheetsKey } from "@/shared/worksheets/api";
import { listen } from "./listen";
// Bundled with the frame instead of loaded on demand: when it is needed, the server is about to stop.
import { RestartWarning } from "./RestartWarning";

/** In milliseconds. */
const connectDelay = 2_000;

const address = () => new URL("/api/websocket/broadcast", location.origin);

const refusedKey = "broadcast-refused";

type Message = components["schemas"]["BroadcastMessage"];

const restartMessage = "restarting lab" satisfies Message;

/** Queries that are refetched when the portal broadcasts a change, as far as they are shown. */
const changes: Record<Exclude<Message, typeof restartMessage>, QueryKey> = {
  "settings changed": publicSettingsQuery.queryKey,
  "worksheets changed": [worksheetsKey],
  "findings changed": [findingsKey],
  "alerts changed": [alertsKey],
  "notices changed": [noticesKey],
  "announcements changed": [announcementsKey],
  "versions changed": updateInfoQuery.queryKey,
};

const isChange = (text: string): text is keyof typeof changes => Object.hasOwn(changes, text);

export function Broadcast() {
  const { message, notification } = App.useApp();
  const cache = useQueryClient();
  const [restarting, setRestarting] = useState(false);

  useEffect(() => {
    let stop: (() => void) | undefined;
    const refetch = (queryKey: QueryKey) => void cache.invalidateQueries({ queryKey });

    function hear(text: string) {
      if (isChange(text)) refetch(changes[text]);
      else if (text === restartMessage) setRestarting(true);
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
        // Stays until it is closed: nothing here recovers without an action.
        onRefused: (description) =>
          notification.warning({ key: refusedKey, title: "实时更新不可用", description, duration: 0 }),
        onOpen: () => {
          notification.destroy(refusedKey);
          // Queries may have been answered before the socket opened, and outdated since.
          Object.values(changes).forEach(refetch);
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
