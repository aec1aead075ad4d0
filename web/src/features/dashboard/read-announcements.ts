// Which announcements the user has read in this browser. A changed one is unread again.
import { useState } from "react";
import type { Announcement } from "@/shared/api/announcements";
import { readLocal, writeLocal } from "@/shared/lib/local-items";
import { useSession } from "@/shared/stores/session";

/** More are never shown at once. */
const kept = 100;

const keyOf = ({ id, updated }: Pick<Announcement, "id" | "updated">) => `${id} ${updated}`;

/** By user. */
type Read = Readonly<Record<string, readonly string[]>>;

/** Entries of another form are ignored. */
function readAll(): Read {
  try {
    const stored: unknown = JSON.parse(readLocal("announcementsRead") ?? "{}");
    if (typeof stored !== "object" || stored === null) return {};
    return Object.fromEntries(
      Object.entries(stored).flatMap(([id, keys]): [string, string[]][] =>
        Array.isArray(keys) ? [[id, keys.filter((key) => typeof key === "string")]] : [],
      ),
    );
  } catch {
    return {};
  }
}

export function useReadAnnouncements() {
  const { id, username } = useSession();
  const [keys, setKeys] = useState<readonly string[]>(() => readAll()[id] ?? []);
  /** The author has read it. */
  const isRead = (one: Announcement) => one.author === username || keys.includes(keyOf(one));

  function markRead(items: readonly Announcement[]) {
    const next = [...new Set([...keys, ...items.map(keyOf)])].slice(-kept);
    setKeys(next);
    writeLocal("announcementsRead", JSON.stringify({ ...readAll(), [id]: next }));
  }

  return { isRead, markRead };
}

export type ReadAnnouncements = ReturnType<typeof useReadAnnouncements>;
