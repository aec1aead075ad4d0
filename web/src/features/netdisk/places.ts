// The top-level folders of every user's disk, and their labels. An administrator's root is the disk itself; other
// users' roots consist of these.
import type { IconName } from "@/shared/theme/icon-shapes";
import { diskRoot, folderIn, nameOf, namesOf, shownName } from "./disk-paths";

export interface Place {
  path: string;
  title: string;
  icon: IconName;
}

/** The bin is no folder: it is `?place=trash` in the URL. */
export const trashPlace = "trash";

export interface GroupFolder {
  name: string;
  folder: string;
}

const groupsFolder = "/groups/";

const share: Place = { path: "/share/", title: "公共共享", icon: "users" };
const datasets: Place = { path: "/datasets/", title: "数据集", icon: "dataset" };

/** The places of the disk's sidebar. */
export function placesOf(admin: boolean, groups: readonly GroupFolder[]): Place[] {
  if (admin)
    return [
      { path: diskRoot, title: "我的文件", icon: "user" },
      { path: "/home/", title: "个人文件夹", icon: "folder" },
      share,
      { path: groupsFolder, title: "用户组", icon: "folder" },
      datasets,
    ];
  return [
    { path: "/home/", title: "我的文件", icon: "user" },
    share,
    ...groups.map(
      ({ name, folder }): Place => ({
        path: folderIn(groupsFolder, folder),
        title: `组：${name}`,
        icon: "folder",
      }),
    ),
    datasets,
  ];
}

/** The place of a path: the one with the longest matching prefix. */
export function placeAt(places: readonly Place[], path: string): Place | undefined {
  return places
    .filter((place) => path.startsWith(place.path))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** The Chinese name of one of the fixed folders, shown beside the real one. */
export function friendlyName(path: string, admin: boolean): string | undefined {
  const names = namesOf(path);
  if (names.length !== 1) return undefined;
  const words: Record<string, string> = {
    home: admin ? "个人文件夹" : "我的文件",
    share: "公共共享",
    groups: admin ? "用户组" : "组共享",
    datasets: "数据集",
  };
  return words[names[0] ?? ""];
}

/** A folder in the words of the sidebar; others by their own name. */
export function titleOf(path: string, places: readonly Place[], admin: boolean): string {
  if (path === diskRoot) return "网盘根目录";
  const title = places.find((place) => place.path === path)?.title ?? friendlyName(path, admin);
  return title ?? shownName(nameOf(path));
}

export const isFixedFolder = (path: string) => friendlyName(path, true) !== undefined;
