import { describe, expect, it } from "vitest";
import { endText, lastingText } from "./expiry";

const now = 1_800_000_000_500;
const seconds = 1_800_000_000;

describe("S191 how long a link holds", () => {
  it.each([
    [0, "永久有效"],
    [seconds - 1, "已过期"],
    [seconds, "已过期"],
    [seconds + 59, "59 秒后过期"],
    [seconds + 60, "1 分钟后过期"],
    [seconds + 3599, "59 分钟后过期"],
    [seconds + 3600, "1 小时后过期"],
    [seconds + 2 * 3600 + 300, "2 小时 5 分钟后过期"],
    [seconds + 86_400, "1 天后过期"],
    [seconds + 2 * 86_400 + 4 * 3600 + 59, "2 天 4 小时后过期"],
    [seconds + 2_147_483_647 * 86_400, "2147483647 天后过期"],
  ])("%i: %s", (expire, words) => {
    expect(lastingText(expire, now)).toBe(words);
  });

  it("a date is said where there is one", () => {
    expect(endText(0)).toBeUndefined();
    expect(endText(seconds)).toMatch(/^2027-01-15 \d\d:00:00 到期$/);
    expect(endText(seconds + 2_147_483_647 * 86_400)).toBeUndefined();
  });
});
