import type { Announcement } from "@/shared/api/announcements";

/** Only administrators still see it. */
export const isOver = ({ until }: Pick<Announcement, "until">, now = Date.now()) =>
  Boolean(until) && new Date(until ?? 0).getTime() <= now;
