import { describe, expect, it } from "vitest";
import { fileTime, fullTime, relativeTime, shortTime, spanText, toDate } from "./time";

const now = new Date(2026, 10, 20, 18, 22, 0);
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);

describe("relative time", () => {
  it.each([
    [0, "1 分钟前"],
    [59, "1 分钟前"],
    [60, "1 分钟前"],
    [59 * 60 + 59, "59 分钟前"],
    [3600, "1 小时前"],
    [86_399, "23 小时前"],
    [86_400, "1 天前"],
    [40 * 86_400, "40 天前"],
  ])("S412 %i seconds ago on the platform", (seconds, words) => {
    expect(relativeTime(ago(seconds), now)).toBe(words);
  });

  it.each([
    [0, "刚刚"],
    [29, "刚刚"],
    [30, "1 分钟前"],
    [3599, "59 分钟前"],
    [3600, "1 小时前"],
    [86_399, "23 小时前"],
    [86_400, "1 天前"],
    [2 * 86_400 - 1, "1 天前"],
    [2 * 86_400, "11-18"],
  ])("S413 %i seconds ago on the disk", (seconds, words) => {
    expect(fileTime(ago(seconds), now)).toBe(words);
  });

  it("S414 takes ten digits as seconds, more as milliseconds", () => {
    expect(toDate(1_763_000_000).getTime()).toBe(1_763_000_000_000);
    expect(toDate("1763000000").getTime()).toBe(1_763_000_000_000);
    expect(toDate(1_763_000_000_123).getTime()).toBe(1_763_000_000_123);
  });

  it("a clock that runs ahead is not in the future", () => {
    expect(relativeTime(ago(-300), now)).toBe("1 分钟前");
    expect(fileTime(ago(-300), now)).toBe("刚刚");
  });
});

describe("dates", () => {
  it.each([
    [new Date(2026, 10, 20, 9, 5), "09:05"],
    [new Date(2026, 10, 19, 23, 59), "昨天 23:59"],
    [new Date(2026, 10, 18, 12, 0), "11-18"],
    [new Date(2025, 10, 18, 12, 0), "2025-11-18"],
  ])("short form of %s", (at, words) => {
    expect(shortTime(at, now)).toBe(words);
  });

  it("full form", () => {
    expect(fullTime(new Date(2026, 0, 2, 3, 4, 5))).toBe("2026-01-02 03:04:05");
  });
});

describe("spans", () => {
  it.each([
    [0, "0 秒"],
    [12_400, "12 秒"],
    [59_600, "1 分钟"],
    [90_000, "1 分钟 30 秒"],
    [5 * 60_000, "5 分钟"],
    [3_599_700, "1 小时"],
    [5 * 3_600_000 + 20 * 60_000 + 4000, "5 小时 20 分钟"],
    [27 * 3_600_000, "1 天 3 小时"],
    [40 * 86_400_000 - 3, "40 天"],
  ])("%i ms", (millis, words) => {
    expect(spanText(millis)).toBe(words);
  });
});
