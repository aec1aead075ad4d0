// The texts about a link besides its end: how it was used, and the message that it is passed on by.
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { relativeTime } from "@/shared/lib/time";
import { nameOf, shownName } from "../disk-paths";
import type { ShareLink } from "./api";

/** 已收 3 / 100 个文件，1.20 MB / 10.00 GB; undefined for a link that is read. */
export const collectedText = ({ collect }: ShareLink): string | undefined =>
  collect &&
  `已收 ${formatCount(collect.files)} / ${formatCount(collect.maxFiles)} 个文件，${formatSize(collect.bytes)} / ${formatSize(collect.maxBytes)}`;

/** 浏览 5 次, and 最近访问 3 分钟前 after the first visit. */
export function visitsText({ views, lastVisit }: ShareLink, now = new Date()): string {
  const seen = `浏览 ${formatCount(views)} 次`;
  return lastVisit ? `${seen} · 最近访问 ${relativeTime(lastVisit, now)}` : seen;
}

/** The link and its password as one message. */
export function messageOf(link: ShareLink, address: string, password: string): string {
  const verb = link.collect ? "收集文件" : "分享文件";
  return `${verb}：${shownName(nameOf(link.path))}\n链接：${address}\n密码：${password}`;
}
