// The form of the watch's settings: lists are texts with one entry per line.
import type { Settings } from "@/shared/api/settings";

type WatchSettings = Settings["watch"];

type Lists = "names" | "strings" | "ports" | "allowedUsers" | "allowedImages";

export type WatchForm = Pick<WatchSettings, "enabled" | "action"> & Record<Lists, string>;

const text = (entries: readonly (string | number)[]) => entries.join("\n");

const entries = (lines: string) => [
  ...new Set(
    lines
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean),
  ),
];

export const watchFormOf = (watch: WatchSettings): WatchForm => ({
  ...watch,
  names: text(watch.names),
  strings: text(watch.strings),
  ports: text(watch.ports),
  allowedUsers: text(watch.allowedUsers),
  allowedImages: text(watch.allowedImages),
});

export const watchOf = (form: WatchForm): WatchSettings => ({
  ...form,
  names: entries(form.names),
  strings: entries(form.strings),
  ports: entries(form.ports).map(Number),
  allowedUsers: entries(form.allowedUsers),
  allowedImages: entries(form.allowedImages),
});

/** Whether every line is a port. */
export const arePorts = (lines: string): boolean =>
  entries(lines).every((line) => /^\d{1,5}$/.test(line) && Number(line) >= 1 && Number(line) <= 65_535);

/** `watch.names` is `names` here. */
export const watchFormName = (apiName: string): string[] => apiName.split(".").slice(1);
