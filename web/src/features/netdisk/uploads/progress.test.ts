import { describe, expect, it } from "vitest";
import { addSample, percentOf, speedOf, timeLeftText, toneOf } from "./progress";

describe("progress", () => {
  it("S244 rounds up and never passes 100", () => {
    expect(percentOf(1, 1000)).toBe(1);
    expect(percentOf(0, 1000)).toBe(0);
    expect(percentOf(1001, 1000)).toBe(100);
    expect(percentOf(0, 0)).toBe(0);
  });

  it("S121 changes its tone at 30 and at 70", () => {
    expect([0, 29, 30, 69, 70, 100].map(toneOf)).toEqual(["low", "low", "middle", "middle", "high", "high"]);
  });

  it("tells speed from the last three seconds", () => {
    let samples = addSample([], { at: 0, sent: 0 });
    samples = addSample(samples, { at: 1000, sent: 500 });
    expect(speedOf(samples)).toBe(500);
    samples = addSample(samples, { at: 5000, sent: 10_000 });
    expect(speedOf(samples)).toBe(0);
  });

  it("says how long it takes", () => {
    expect(timeLeftText(1000, 100)).toBe("剩 10 秒");
    expect(timeLeftText(67_000, 1000)).toBe("剩 1 分 7 秒");
    expect(timeLeftText(7_260_000, 1000)).toBe("剩 2 小时 1 分");
    expect(timeLeftText(1000, 0)).toBe("");
  });
});
