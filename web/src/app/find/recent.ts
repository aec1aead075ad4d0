// What the user chose lately, in this browser.
import { readLocal, writeLocal } from "@/shared/lib/local-items";
import { iconShapes } from "@/shared/theme/icon-shapes";
import type { Choice } from "./choice";

/** Places that are kept for each user. */
const most = 6;
/** Users whose places are kept. */
const mostUsers = 4;

type Kept = Pick<Choice, "key" | "icon" | "title" | "about"> & { to: string };

const isText = (value: unknown): value is string => typeof value === "string";

function isKept(value: unknown): value is Kept {
  if (typeof value !== "object" || value === null) return false;
  const field = (name: keyof Kept): unknown => Reflect.get(value, name);
  const [icon, to] = [field("icon"), field("to")];
  // Only pages of the portal: another script that can write here must not choose where a click leads.
  const isPlace = isText(to) && /^\/(?![/\\])/.test(to);
  const isIcon = isText(icon) && Object.hasOwn(iconShapes, icon);
  return isPlace && isIcon && [field("key"), field("title"), field("about")].every(isText);
}

function readAll(): [string, Kept[]][] {
  try {
    const stored: unknown = JSON.parse(readLocal("recentFinds") ?? "[]");
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((entry: unknown): [string, Kept[]][] => {
      if (!Array.isArray(entry)) return [];
      const [user, kept]: unknown[] = entry;
      return isText(user) && Array.isArray(kept) ? [[user, kept.filter(isKept)]] : [];
    });
  } catch {
    // A damaged entry, which the next choice overwrites.
    return [];
  }
}

export function recentOf(user: number): Choice[] {
  const kept = readAll().find(([id]) => id === String(user))?.[1] ?? [];
  return kept.map(({ to, ...rest }) => ({ ...rest, act: { to } }));
}

/** Only places: what was done once is not offered for that. */
export function keepRecent(user: number, choice: Choice) {
  if (!("to" in choice.act) || choice.key.startsWith("action ")) return;
  const { key, icon, title, about, act } = choice;
  const all = readAll();
  const before = all.find(([id]) => id === String(user))?.[1] ?? [];
  const kept = [{ key, icon, title, about, to: act.to }, ...before.filter((other) => other.key !== key)];
  const others = all.filter(([id]) => id !== String(user)).slice(0, mostUsers - 1);
  writeLocal("recentFinds", JSON.stringify([[String(user), kept.slice(0, most)], ...others]));
}
