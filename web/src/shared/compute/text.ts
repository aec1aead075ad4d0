// Texts for cards, cores, sizes and spans of time on the compute pages.
import dayjs, { type Dayjs } from "dayjs";
import { coresOf, formatCount } from "@/shared/lib/numbers";
import { type Instant, toDate } from "@/shared/lib/time";
import { GB } from "@/shared/quotas/quotas";
import type { Gpu } from "./api";
import { shortModel } from "./gpu-model";

/** A800 80G ×8、L20 48G ×2 */
export function modelsText(gpus: readonly (Pick<Gpu, "model"> & Partial<Gpu>)[]): string {
  const counts = new Map<string, number>();
  for (const gpu of gpus) counts.set(shortModel(gpu), (counts.get(shortModel(gpu)) ?? 0) + 1);
  return [...counts].map(([model, count]) => `${model} ×${count}`).join("、");
}

export const coresText = (quota: number) => `${formatCount(coresOf(quota))} 核`;

/** 1.5 TB, 64 GB, 512 MB: machines and instances are larger than files, so there is a unit above GB. */
export function memoryText(bytes: number): string {
  if (bytes >= 1024 * GB) return `${formatCount(bytes / GB / 1024)} TB`;
  return bytes >= GB ? `${formatCount(bytes / GB)} GB` : `${formatCount(bytes / 1024 ** 2)} MB`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** 26 小时, 3 天, 5 分钟, 4 秒 */
export function spanText(seconds: number): string {
  if (seconds < MINUTE) return `${Math.max(0, Math.round(seconds))} 秒`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} 分钟`;
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)} 小时`;
  return `${Math.floor(seconds / DAY)} 天`;
}

/** 00:04:09, 25:14:08, 3 天 02:14:08 */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const days = whole >= 2 * DAY ? Math.floor(whole / DAY) : 0;
  const rest = whole - days * DAY;
  const parts = [rest / HOUR, (rest % HOUR) / MINUTE, rest % MINUTE];
  const clock = parts.map((part) => String(Math.floor(part)).padStart(2, "0")).join(":");
  return days > 0 ? `${days} 天 ${clock}` : clock;
}

export const secondsBetween = (from: Instant, to: Instant) =>
  (toDate(to).getTime() - toDate(from).getTime()) / 1000;

/** 20:30 today, 明天 09:00, 11-24 09:00 */
export function whenText(at: Instant, now = new Date()): string {
  const time = dayjs(toDate(at));
  const today = dayjs(now).startOf("day");
  if (time.isSame(today, "day")) return time.format("HH:mm");
  if (time.isSame(today.add(1, "day"), "day")) return `明天 ${time.format("HH:mm")}`;
  return time.format(time.isSame(today, "year") ? "MM-DD HH:mm" : "YYYY-MM-DD HH:mm");
}

/** From the stop time that there is, or from now when none is ahead. */
export function extended(stopAt: string | null | undefined, hours: number, now = dayjs()): Dayjs {
  const from = stopAt && dayjs(stopAt).isAfter(now) ? dayjs(stopAt) : now;
  return from.add(hours, "hour");
}
