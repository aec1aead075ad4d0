// Whether a server can be had, with the reason that follows from it.
import { shortTime } from "@/shared/lib/time";
import type { IconName } from "@/shared/theme/icon-shapes";
import type { StateTone } from "@/shared/ui/StateText";
import type { ServerView } from "./api";
import { whenText } from "./text";

type Known = Pick<ServerView, "state" | "schedulable" | "maintenanceNote" | "lastSeen" | "drain"> & {
  manage?: { misdirected: string } | null;
};

interface ServerLook {
  label: string;
  icon: IconName;
  tone: StateTone;
  /** More about it, such as when it was last heard of. */
  note?: string;
}

export function serverLook(server: Known): ServerLook {
  if (server.state === "disabled") return { label: "已停用", icon: "ban", tone: "off" };
  if (server.state === "unreachable") {
    const heard = server.lastSeen ? `最后应答 ${shortTime(server.lastSeen)}` : "还没有应答过";
    const note = server.manage?.misdirected ? "地址指向其他服务器的容器引擎" : heard;
    return { label: "失联", icon: "unlink", tone: "warning", note };
  }
  if (server.drain)
    return { label: "排空中", icon: "wrench", tone: "warning", note: drainText(server.drain) };
  if (!server.schedulable) {
    return {
      label: "维护",
      icon: "wrench",
      tone: "warning",
      ...(server.maintenanceNote && { note: server.maintenanceNote }),
    };
  }
  return { label: "在线", icon: "success", tone: "success" };
}

/** 将于 11-26 18:00 停机维护：换电源 */
export function drainText({ at, note }: NonNullable<ServerView["drain"]>): string {
  return `将于 ${whenText(at)} 停机维护${note && `：${note}`}`;
}

/** Whether it takes instances, by the administrators' settings. */
export const isOpen = ({ schedulable, drain }: Pick<ServerView, "schedulable" | "drain">) =>
  schedulable && !drain;

/** Why no instance can be created there; undefined when one can. */
export function whyClosed(server: Known): string | undefined {
  if (server.state === "online" && isOpen(server)) return undefined;
  const { label, note } = serverLook(server);
  return note ? `${label}：${note}` : label;
}
