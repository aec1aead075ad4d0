import { describe, expect, it } from "vitest";
import { GB } from "@/shared/quotas/quotas";
import type { ServerView } from "./api";
import { cpuShare, percentsText, sharesOf } from "./machine-use";

const facts = { cpuTotal: 3_200_000, memoryTotal: 256 * GB } as NonNullable<ServerView["facts"]>;
const time = "2026-11-22T00:00:00Z";

describe("how much of a machine is in use", () => {
  it("is said of each part that is known", () => {
    const usage = {
      time,
      cpu: 1_984_000,
      memory: 128 * GB,
      disk: { total: 2048 * GB, used: 1536 * GB },
      storage: { total: 1, used: 1 },
    };
    expect(sharesOf({ usage, facts }).map(({ label, text }) => [label, text])).toEqual([
      ["CPU", "19.8 / 32 核"],
      ["内存", "128 GB / 256 GB"],
      ["磁盘", "1.5 TB / 2 TB"],
      ["网盘", "0 MB / 0 MB"],
    ]);
    expect(percentsText({ usage, facts })).toBe("CPU 62% · 内存 50% · 磁盘 75% · 网盘 100%");
  });

  it("is nothing before the machine was measured", () => {
    expect(sharesOf({ usage: null, facts })).toEqual([]);
    expect(cpuShare({ usage: { time, memory: 1 }, facts })).toBeUndefined();
  });
});
