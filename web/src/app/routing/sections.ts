// The parts of the portal, by the first segment of the address, in the order of the menu. A section with a title is a
// group that opens; one without is a single page at the top level.
import type { IconName } from "@/shared/theme/icon-shapes";

export interface Section {
  segment: string;
  title?: string;
  icon?: IconName;
  hidden?: boolean;
}

export const sections: readonly Section[] = [
  { segment: "dashboard" },
  { segment: "netdisk" },
  { segment: "users", title: "用户", icon: "users" },
  { segment: "settings", title: "系统设置", icon: "gear" },
  { segment: "logs", title: "日志", icon: "log" },
  { segment: "profile", title: "个人中心", icon: "user", hidden: true },
  { segment: "error", title: "错误页面", icon: "alert", hidden: true },
  { segment: "error-log", hidden: true },
];

export const segmentOf = (path: string) => path.split("/")[1] ?? "";

export function sectionOf(path: string): Section | undefined {
  const segment = segmentOf(path);
  return sections.find((section) => section.segment === segment);
}
