// Duties and clocks for tests, typed by the contract.
import type { ClockState } from "@/shared/clock/api";
import type { DutyInPortal, DutyList, DutyView } from "./api";

const HOUR = 3_600_000;

const at = (ago: number) => new Date(Date.now() - ago).toISOString();

/** Ran five seconds ago in three milliseconds, and will run in an hour. */
export const inPortal = (part: Partial<DutyInPortal> = {}): DutyInPortal => ({
  host: "node-a",
  here: true,
  active: true,
  runningSince: null,
  last: { started: at(5200), tookMs: 3, error: null },
  next: at(-HOUR - 30_000),
  held: false,
  failing: [],
  ...part,
});

export const duty = (part: Partial<DutyView> = {}): DutyView => ({
  name: "leases",
  title: "续期",
  description: "声明本平台正在执行的任务仍有人负责",
  periodMs: 60_000,
  leaderOnly: false,
  needsTrustedClock: false,
  portals: [inPortal()],
  ...part,
});

export const keepTimes = (part: Partial<DutyView> = {}): DutyView =>
  duty({
    name: "keep-times",
    title: "到期停止与释放",
    periodMs: 5000,
    leaderOnly: true,
    needsTrustedClock: true,
    ...part,
  });

export const failingLooks = duty({
  name: "server-looks",
  title: "服务器巡检",
  periodMs: 5000,
  leaderOnly: true,
  portals: [
    inPortal({
      last: { started: at(2000), tookMs: 1200, error: "连接被拒绝" },
      failing: [{ server: "gpu-r02", error: "连接被拒绝" }],
    }),
  ],
});

export const listOf = (...items: DutyView[]): DutyList => ({ items, total: items.length, leader: "node-a" });

/** 40 days ahead, noticed an hour ago. */
export function jumpedClock(): ClockState {
  const now = Date.now();
  const wall = now + 40 * 24 * HOUR;
  const time = (millis: number) => new Date(millis).toISOString();
  return {
    trusted: false,
    now: time(now),
    wall: time(wall),
    heldSince: time(now - HOUR),
    releaseAt: time(now + 23 * HOUR),
    witnesses: [
      { kind: "steady", name: "", time: time(now), aheadMs: wall - now, independent: false },
      { kind: "engine", name: "gpu-r02", time: time(wall), aheadMs: 400, independent: true },
    ],
  };
}

export function rightClock(witnesses: ClockState["witnesses"] = []): ClockState {
  const now = new Date().toISOString();
  return { trusted: true, now, wall: now, heldSince: null, releaseAt: null, witnesses };
}
