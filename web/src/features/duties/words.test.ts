import { describe, expect, it } from "vitest";
import { aheadText } from "@/shared/clock/words";
import { duty, inPortal, keepTimes } from "./mock";
import { failedOf, isShared, rowsOf, sorted } from "./rows";
import { faultsOf, type Standing, standingOf, whyNot } from "./status";
import { agoText, inText, periodText, platformTime, tookText } from "./words";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("words of duties", () => {
  it.each([
    [250, "每 0.25 秒"],
    [5000, "每 5 秒"],
    [60_000, "每分钟"],
    [600_000, "每 10 分钟"],
    [HOUR, "每小时"],
    [DAY, "每天"],
    [90_000, "每 1 分钟 30 秒"],
  ])("a period of %i ms", (millis, words) => {
    expect(periodText(millis)).toBe(words);
  });

  it.each([
    [0, "不到 1 毫秒"],
    [12, "12 毫秒"],
    [1240, "1.2 秒"],
    [125_000, "2 分钟 5 秒"],
  ])("a run of %i ms", (millis, words) => {
    expect(tookText(millis)).toBe(words);
  });

  it.each([
    [900, "刚刚", "即将"],
    [-5000, "刚刚", "即将"],
    [8700, "8 秒前", "8 秒后"],
    [119_000, "1 分钟前", "1 分钟后"],
    [3 * HOUR, "3 小时前", "3 小时后"],
    [2 * DAY, "2 天前", "2 天后"],
  ])("%i ms away", (millis, ago, later) => {
    expect(agoText(1e12 - millis, 1e12)).toBe(ago);
    expect(inText(1e12 + Math.abs(millis) * Math.sign(millis), 1e12)).toBe(later);
  });

  it.each([
    [400, "一致"],
    [40 * DAY - 2, "快 40 天"],
    [-2 * DAY, "慢 2 天"],
  ])("a clock that is %i ms ahead", (millis, words) => {
    expect(aheadText(millis)).toBe(words);
  });

  it("goes by the platform's time where the browser's is another", () => {
    const told = "2026-11-20T10:00:00Z";
    const toldAt = Date.parse(told);
    expect(platformTime(5, undefined, 0)).toBe(5);
    expect(platformTime(toldAt + 4000, told, toldAt + 3000)).toBe(toldAt + 4000);
    expect(platformTime(toldAt + HOUR + 4000, told, toldAt + HOUR)).toBe(toldAt + 4000);
  });
});

describe("how a duty stands", () => {
  const failed = { started: "2026-11-20T10:00:00Z", tookMs: 3, error: "坏了" };

  it.each<[Standing, boolean | undefined, Parameters<typeof inPortal>[0]]>([
    ["normal", true, {}],
    ["running", true, { runningSince: "2026-11-20T10:00:00Z" }],
    ["failed", true, { last: failed, runningSince: "2026-11-20T10:00:00Z" }],
    ["failed", true, { failing: [{ server: "gpu-r02", error: "坏了" }] }],
    ["waiting", true, { last: null }],
    ["inactive", true, { active: false }],
    ["held", undefined, { held: true }],
    ["held", false, {}],
    ["held", true, { held: true, here: false }],
    // It was released since: the duty has only not had its turn yet.
    ["normal", true, { held: true }],
  ])("%s where the clock's trust is %s", (standing, trusted, part) => {
    expect(standingOf(keepTimes(), inPortal(part), trusted)).toBe(standing);
  });

  it("one that needs no clock is not held, and one that is nowhere is inactive", () => {
    expect(standingOf(duty(), inPortal(), false)).toBe("normal");
    expect(standingOf(duty({ portals: [] }), undefined, true)).toBe("inactive");
  });

  it("tells a failure once", () => {
    const failing = [{ server: "gpu-r02", error: "坏了" }];
    expect(faultsOf(inPortal({ last: failed, failing }))).toEqual(failing);
    expect(faultsOf(inPortal({ last: failed }))).toEqual([{ server: "", error: "坏了" }]);
    expect(faultsOf(inPortal())).toEqual([]);
  });

  it("may be run unless it is held or nowhere at work", () => {
    expect(whyNot(keepTimes(), true)).toBeUndefined();
    expect(whyNot(keepTimes(), false)).toBe("系统时间异常，任务已暂停");
    expect(whyNot(duty(), false)).toBeUndefined();
    expect(whyNot(duty({ portals: [inPortal({ active: false })] }), true)).toMatch(/没有在执行/);
  });
});

describe("rows of the list", () => {
  const slow = duty({
    name: "b",
    title: "乙",
    portals: [inPortal({ last: { ...inPortal().last, tookMs: 9000, started: "2026-11-20T10:00:00Z" } })],
  });
  const broken = duty({
    name: "a",
    title: "甲",
    portals: [
      inPortal(),
      inPortal({ host: "node-b", here: false, failing: [{ server: "s", error: "坏了" }] }),
    ],
  });

  it("are one for each portal, which is named where there are several", () => {
    const rows = rowsOf([broken, slow], { trusted: true, shared: true, now: 0 });
    expect(rows.map(({ duty: { name }, at, first }) => [name, at?.host, first])).toEqual([
      ["a", "node-a", true],
      ["a", "node-b", false],
      ["b", "node-a", true],
    ]);
    expect(isShared([broken, slow])).toBe(true);
    expect(isShared([slow])).toBe(false);
  });

  it("are found by a failure in any portal, and sorted", () => {
    expect(failedOf([slow, broken], true)).toEqual([broken]);
    expect(sorted([slow, broken], { sort: "title", order: "asc" })).toEqual([broken, slow]);
    expect(sorted([broken, slow], { sort: "took", order: "desc" })).toEqual([slow, broken]);
  });
});
