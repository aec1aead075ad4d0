// The summary of the certificate's state.

import type { IconName } from "@/shared/theme/icon-shapes";
import type { StateTone } from "@/shared/ui/StateText";
import type { HttpsOverview } from "./api";

export interface StateWords {
  tone: StateTone;
  icon: IconName;
  title: string;
  /** The advice; empty when there is none. */
  advice: string;
}

const configure = '在配置文件里加上 https_listen = "0.0.0.0:443"，再重启服务';

/** The most important thing for an administrator. */
export function stateOf(now: HttpsOverview): StateWords {
  const { way, certificate, tries, listening, ownFiles, behindProxy } = now;
  if (ownFiles) return fine("由配置里的证书文件提供 HTTPS", "更换文件后自动生效；到期前平台会告警");
  if (way === "off") {
    if (behindProxy) return fine("由反向代理提供 HTTPS", "证书由代理管理，这里不用设置");
    return {
      tone: "warning",
      icon: "alert",
      title: "没有 HTTPS",
      advice: "密码和文件在网络上不加密，剪贴板、通知等浏览器功能也不能用。请在下面选一种方式",
    };
  }
  if (tries.held) {
    return {
      tone: "warning",
      icon: "clock",
      title: "系统时间不可信，暂停申请证书",
      advice: "请校准服务器的时间，或者在“后台任务”里确认时间没有问题",
    };
  }
  if (tries.running) return { tone: "info", icon: "progress", title: "正在申请证书", advice: "" };
  if (!certificate) {
    return { tone: "error", icon: "fault", title: "还没有证书", advice: "" };
  }
  if (Date.parse(certificate.notAfter) <= Date.parse(now.now)) {
    return { tone: "error", icon: "fault", title: "证书已经过期", advice: "" };
  }
  if (listening == null) {
    return { tone: "warning", icon: "alert", title: "证书已有，还没有用上", advice: configure };
  }
  if (tries.failures > 0) {
    return { tone: "warning", icon: "alert", title: "证书可用，续期没有成功", advice: "" };
  }
  if (!certificate.served) return { tone: "info", icon: "progress", title: "正在换上新的证书", advice: "" };
  return fine("HTTPS 可用", "");
}

const fine = (title: string, advice: string): StateWords => ({
  tone: "success",
  icon: "success",
  title,
  advice,
});

/** Whether the HTTPS port is not configured yet, in any other state. */
export const lacksPort = ({ listening, ownFiles, behindProxy, way }: HttpsOverview) =>
  listening == null && !ownFiles && !(behindProxy && way === "off");

export const daysUntil = (time: string, now: string) =>
  Math.floor((Date.parse(time) - Date.parse(now)) / 86_400_000);
