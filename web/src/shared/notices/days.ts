// Notices by the day on which they came. Pure.
import dayjs from "dayjs";
import { toDate } from "@/shared/lib/time";
import type { Notice } from "./api";

export interface NoticeDay {
  /** 今天, 昨天, 11-18 周三 */
  title: string;
  notices: Notice[];
}

const weekdays = "日一二三四五六";

function titleOf(time: dayjs.Dayjs, today: dayjs.Dayjs): string {
  if (time.isSame(today, "day")) return "今天";
  if (time.isSame(today.subtract(1, "day"), "day")) return "昨天";
  const date = time.format(time.isSame(today, "year") ? "MM-DD" : "YYYY-MM-DD");
  return `${date} 周${weekdays[time.day()]}`;
}

/** The latest first, as the notices are. */
export function daysOf(notices: readonly Notice[], now = new Date()): NoticeDay[] {
  const days = new Map<string, Notice[]>();
  for (const notice of notices) {
    const title = titleOf(dayjs(toDate(notice.created)), dayjs(now));
    days.set(title, [...(days.get(title) ?? []), notice]);
  }
  return [...days].map(([title, ofDay]) => ({ title, notices: ofDay }));
}

/** The newest notice about each thing: what can be done about it is offered once. */
export function newestOfEach(notices: readonly Notice[]): ReadonlySet<string> {
  const newest = new Map<string, string>();
  for (const { id, object, objectId } of notices) {
    const thing = `${object} ${objectId}`;
    if (!newest.has(thing)) newest.set(thing, id);
  }
  return new Set(newest.values());
}
