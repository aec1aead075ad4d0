// The visited pages in the tag bar. Pinned ones are always there and first.
import { create } from "zustand";
import type { AppRoute } from "@/shared/lib/app-route";
import { tellPageClosed } from "@/shared/stores/closed-pages";
import { addressOf } from "../routing/menu";

export interface Tag {
  /** The page's path without the query; one tag for a whole splat route. */
  key: string;
  title: string;
  /** Where a click leads: the place last seen on that page, unless the page wants to start afresh. */
  to: string;
  pinned: boolean;
}

interface Tags {
  tags: Tag[];
}

export const useTags = create<Tags>()(() => ({ tags: [] }));

export function pinnedTags(routes: readonly AppRoute[]): Tag[] {
  return routes
    .filter((route) => route.meta.affix)
    .map(({ path, meta }) => ({
      key: addressOf(path),
      title: meta.title,
      to: addressOf(path),
      pinned: true,
    }));
}

/** Puts the pinned tags first, and keeps the visited ones. */
export function pinTags(pinned: readonly Tag[]) {
  useTags.setState(({ tags }) => ({
    tags: [
      ...pinned.map((tag) => tags.find((other) => other.key === tag.key) ?? tag),
      ...tags.filter((tag) => !pinned.some((other) => other.key === tag.key)),
    ],
  }));
}

export interface Visit {
  key: string;
  title: string;
  address: string;
  noCache: boolean;
}

export function visit({ key, title, address, noCache }: Visit) {
  const to = noCache ? key : address;
  useTags.setState(({ tags }) => ({
    tags: tags.some((tag) => tag.key === key)
      ? tags.map((tag) => (tag.key === key ? { ...tag, title, to } : tag))
      : [...tags, { key, title, to, pinned: false }],
  }));
}

/** Keeps these; the pages of the others are closed. */
function keep(wanted: (tag: Tag) => boolean): readonly Tag[] {
  const { tags } = useTags.getState();
  const left = tags.filter(wanted);
  useTags.setState({ tags: left });
  for (const { key } of tags) if (!left.some((tag) => tag.key === key)) tellPageClosed(key);
  return left;
}

/** Closes one tag. If it was the shown one, returns the tag to go to, its right or left neighbour. */
export function closeTag(key: string): Tag | null {
  const { tags } = useTags.getState();
  const index = tags.findIndex((tag) => tag.key === key);
  if (index < 0 || tags[index]?.pinned) return null;
  const left = keep((tag) => tag.key !== key);
  return left[index] ?? left[index - 1] ?? null;
}

export const closeOthers = (key: string) => void keep((tag) => tag.pinned || tag.key === key);

export const closeAll = () => void keep((tag) => tag.pinned);

/** The page reloads by itself, after an update: for whom which tags were open. */
const storageKey = "yunlab_tags";

interface KeptTags {
  person: number;
  tags: Tag[];
}

export function keepTags(person: number) {
  try {
    const kept: KeptTags = { person, tags: useTags.getState().tags };
    sessionStorage.setItem(storageKey, JSON.stringify(kept));
  } catch {
    // Only the row of tags is lost.
  }
}

/** Puts back what was kept for this person, once. */
export function restoreTags(person: number) {
  try {
    const kept: KeptTags | null = JSON.parse(sessionStorage.getItem(storageKey) ?? "null");
    sessionStorage.removeItem(storageKey);
    if (kept?.person === person && Array.isArray(kept.tags)) useTags.setState({ tags: kept.tags });
  } catch {
    // A damaged entry is as good as none.
  }
}

export function clearTags() {
  useTags.setState({ tags: [] });
}
