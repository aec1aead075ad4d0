// The sections of the portal, by the first segment of the path, in the order of the menu. A section with a title is a
// group that expands; one without is a single page at the top level.
import type { IconName } from "@/shared/theme/icon-shapes";

export interface Section {
  segment: string;
  title?: string;
  icon?: IconName;
  hidden?: boolean;
  /** Its pages in order; several features may have pages in one section. */
  pages?: readonly string[];
  /** Not a section: a page of another one, which has an entry of its own here. */
  link?: { path: string; title: string };
}

export const sections: readonly Section[] = [
  { segment: "dashboard" },
  {
    segment: "servers",
    title: "资源管理",
    icon: "server",
    pages: [
      "/servers/server_list",
      "/servers/server_manage",
      "/servers/instance_manage",
      "/servers/server_allocation",
      "/servers/usage",
      "/servers/finding_list",
    ],
  },
  { segment: "netdisk" },
  {
    segment: "dataset",
    title: "数据集",
    icon: "dataset",
    pages: ["/dataset/dataset_show", "/dataset/label_manage"],
  },
  {
    segment: "images",
    title: "镜像",
    icon: "layers",
    pages: ["/images/image_manage", "/images/image_show", "/images/image_prepare"],
  },
  // Its route is below the profile's, where users do not look for help.
  { segment: "", icon: "ticket", link: { path: "/profile/worksheet", title: "工单" } },
  {
    segment: "users",
    title: "用户",
    icon: "users",
    pages: ["/users/user_list", "/users/group_list", "/users/groupmember_list", "/users/departures"],
  },
  {
    segment: "settings",
    title: "系统设置",
    icon: "gear",
    pages: [
      "/settings/basic_setting",
      "/settings/auth_setting",
      "/settings/security_setting",
      "/settings/https",
      "/settings/retention_setting",
      "/settings/alerts",
      "/settings/duties",
      "/settings/backups",
      "/settings/netdisk_settings/profile",
    ],
  },
  { segment: "logs", title: "日志", icon: "log", pages: ["/logs/login_log", "/logs/operate_log"] },
  { segment: "profile", title: "个人中心", icon: "user", hidden: true },
  { segment: "notices", hidden: true },
  { segment: "error", title: "错误页面", icon: "alert", hidden: true },
  { segment: "error-log", hidden: true },
];

export const segmentOf = (path: string) => path.split("/")[1] ?? "";

export function sectionOf(path: string): Section | undefined {
  const segment = segmentOf(path);
  return sections.find((section) => section.segment === segment);
}

/** Sorts routes by section and by page within it; unknown ones last. */
export function inOrder<T extends { path: string }>(routes: readonly T[]): T[] {
  const rank = ({ path }: T): [number, number] => {
    const section = sections.findIndex(({ segment }) => segment === segmentOf(path));
    const page = sections[section]?.pages?.indexOf(path) ?? 0;
    return [section < 0 ? sections.length : section, page < 0 ? Number.MAX_SAFE_INTEGER : page];
  };
  return routes.toSorted((a, b) => {
    const [left, right] = [rank(a), rank(b)];
    return left[0] - right[0] || left[1] - right[1];
  });
}
