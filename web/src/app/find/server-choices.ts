// What the portal and the storage host find: each shows only what the user may see.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components as diskComponents } from "@/shared/api/disk";
import { askDisk, diskClient, encodePath } from "@/shared/api/disk-client";
import type { components } from "@/shared/api/portal";
import { links } from "@/shared/compute/links";
import { formatSize } from "@/shared/lib/numbers";
import { shownName } from "@/shared/lib/shown-name";
import { fileTime } from "@/shared/lib/time";
import type { IconName } from "@/shared/theme/icon-shapes";
import { worksheetLinks } from "@/shared/worksheets/api";
import type { Choice } from "./choice";

type FoundThing = components["schemas"]["FoundThing"];
type FoundKind = FoundThing["kind"];
type FoundFile = diskComponents["schemas"]["FoundFile"];

/** What was found is asked for again when it is shown again: others change it. */
const passing = { staleTime: 0, gcTime: 60_000, retry: false, placeholderData: keepPreviousData } as const;

export const thingsQuery = (q: string) =>
  queryOptions({
    queryKey: ["find", "things", q],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/find", { params: { query: { q } }, signal })),
    ...passing,
  });

/** In milliseconds, while the storage host says that it has not looked everywhere. */
const askAgain = 250;

/** Then the tree is too large, or too slow, to wait for. */
const mostAnswers = 40;

export const filesQuery = (storageHost: string, q: string) =>
  queryOptions({
    queryKey: ["find", "files", storageHost, q],
    queryFn: ({ signal }) =>
      askDisk(diskClient(storageHost).GET("/api/find", { params: { query: { q } }, signal })),
    refetchInterval: ({ state }) =>
      state.data?.searching && state.dataUpdateCount < mostAnswers ? askAgain : false,
    ...passing,
  });

/** A single letter fits nearly every file; a single Chinese character does not. */
export const isEnoughForFiles = (q: string) => q.length > 1 || /\p{Script=Han}/u.test(q);

interface KindLook {
  section: string;
  icon: IconName;
  to: (id: string) => string;
}

const query = (name: string, value: string) => `?${new URLSearchParams({ [name]: value })}`;

/** In the order in which they are shown. */
const kinds: Readonly<Record<FoundKind, KindLook>> = {
  instance: { section: "实例", icon: "running", to: links.instance },
  server: { section: "服务器", icon: "server", to: links.server },
  user: { section: "用户", icon: "user", to: (name) => `/users/user_list${query("q", name)}` },
  worksheet: { section: "工单", icon: "ticket", to: worksheetLinks.one },
  dataset: {
    section: "数据集",
    icon: "dataset",
    to: (id) => `/dataset/dataset_info${query("dataset", id)}`,
  },
  image: { section: "镜像", icon: "layers", to: (id) => `/images/image_info${query("id", id)}` },
  public_image: { section: "镜像", icon: "layers", to: (id) => `/images/image_info${query("image", id)}` },
};

export const thingSections: readonly string[] = [
  ...new Set(Object.values(kinds).map(({ section }) => section)),
];

export const sectionOfThing = ({ kind }: FoundThing) => kinds[kind].section;

export function thingChoice({ kind, id, title, about, owner }: FoundThing): Choice {
  const { icon, to } = kinds[kind];
  const said = [owner, about, kind === "public_image" && "公共镜像库"].filter(Boolean).join(" · ");
  return { key: `${kind} ${id}`, icon, title, about: said, act: { to: to(id) } };
}

export const diskAddress = (path: string) => `/netdisk/files${encodePath(path)}`;

export function fileChoice({ path, isDir, size, modified }: FoundFile): Choice {
  const names = shownName(path).split("/").filter(Boolean);
  const title = names.at(-1) ?? path;
  const above = names.slice(0, -1).join("/");
  const facts = [above, !isDir && formatSize(size), !isDir && fileTime(modified)].filter(Boolean);
  return {
    key: `file ${path}`,
    icon: isDir ? "folder" : "file",
    title,
    about: facts.join(" · "),
    act: { to: diskAddress(path) },
  };
}
