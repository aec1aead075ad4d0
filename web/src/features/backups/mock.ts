// Backups for tests, typed by the contract.
import type { Backup, BackupList, BackupSettings } from "./api";

const HOUR = 3_600_000;

export const now = "2026-11-26T12:00:00.000Z";

const before = (hours: number) => new Date(Date.parse(now) - hours * HOUR).toISOString();

/** A good one of the database that ended `hours` ago and took two minutes. */
export const database = (hours: number, part: Partial<Backup> = {}): Backup => ({
  id: `database-${hours}`,
  kind: "database",
  outcome: "good",
  host: "node-a",
  started: before(hours + 1 / 30),
  finished: before(hours),
  file: `yunlab-${hours}.tar.zst`,
  bytes: 5 * 1024 * 1024,
  rows: 12_345,
  encrypted: false,
  note: "",
  error: "",
  present: true,
  ...part,
});

export const files = (hours: number): Backup =>
  database(hours, {
    id: `files-${hours}`,
    kind: "files",
    file: "",
    bytes: 0,
    rows: 0,
    note: "restic 2026-11-26",
    present: null,
  });

export const running = database(0, {
  id: "running",
  outcome: "running",
  finished: null,
  file: "",
  bytes: 0,
  rows: 0,
});

export const failed = database(1, {
  id: "failed",
  outcome: "failed",
  file: "",
  bytes: 0,
  rows: 0,
  error: "磁盘已满",
});

export const place: BackupSettings = { folder: "/backup", keep: 14, encrypted: false, besideData: false };

export const listOf = (items: Backup[], part: Partial<BackupList> = {}): BackupList => ({
  settings: place,
  now,
  running: items.find(({ outcome }) => outcome === "running") ?? null,
  lastDatabase: items.find(({ kind, outcome }) => kind === "database" && outcome === "good") ?? null,
  lastFiles: items.find(({ kind }) => kind === "files") ?? null,
  items,
  total: items.length,
  ...part,
});
