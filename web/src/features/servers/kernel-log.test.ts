import { describe, expect, it } from "vitest";
import { isWarning, levelLook, uptimeText } from "./kernel-log";

describe("a kernel's log", () => {
  it("tells warnings and worse from the rest", () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7].filter((level) => isWarning({ level }))).toEqual([0, 1, 2, 3, 4]);
    expect([0, 3, 4, 6, 7].map((level) => levelLook(level).label)).toEqual([
      "严重",
      "错误",
      "警告",
      "信息",
      "调试",
    ]);
  });

  it("says how long the machine has been up in two units", () => {
    expect(uptimeText(59_000)).toBe("0 分钟");
    expect(uptimeText(5 * 3_600_000 + 90_000)).toBe("5 小时 1 分钟");
    expect(uptimeText(86_400_000 * 3 + 3_600_000)).toBe("3 天 1 小时");
  });
});
