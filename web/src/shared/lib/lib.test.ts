import { describe, expect, it } from "vitest";
import { daysFromNow, readCookie, removeCookie, writeCookie } from "./cookies";
import { coresOf, formatSize, shortNumber } from "./numbers";
import { randomId } from "./random-id";
import * as is from "./validators";
import { compareVersions, isNewer } from "./version";

describe("numbers", () => {
  it.each([
    [0, "0.00 B"],
    [1023, "1023.00 B"],
    [1024, "1.00 KB"],
    [1_258_291, "1.20 MB"],
    [335_436_893_798, "312.40 GB"],
    [105_553_116_266_496, "98304.00 GB"],
  ])("S415 %i bytes", (bytes, words) => {
    expect(formatSize(bytes)).toBe(words);
  });

  it.each([
    [999, "999"],
    [1000, "1k"],
    [12_345, "12.3k"],
    [1_500_000, "1.5M"],
    [2e9, "2G"],
    [3e12, "3T"],
    [4e15, "4P"],
    [5e18, "5E"],
    [-1500, "-1.5k"],
  ])("S416 shortens %d", (value, words) => {
    expect(shortNumber(value)).toBe(words);
  });

  it("reads CPU quotas as cores", () => {
    expect(coresOf(400_000)).toBe(4);
  });

  it("S417 random ids have 32 characters and differ", () => {
    expect(randomId()).toMatch(/^[a-z0-9]{32}$/);
    expect(randomId(8)).toHaveLength(8);
    expect(randomId()).not.toBe(randomId());
  });
});

describe("validators", () => {
  it.each([
    ["ab", true],
    ["a", false],
    ["zhang.min@lab", true],
    ["zhang_min", false],
    ["a".repeat(20), true],
    ["a".repeat(21), false],
    ["张敏", false],
    ["ab\n", false],
    ["", false],
  ])("S253 username %j", (value, ok) => {
    expect(is.isUsername(value)).toBe(ok);
  });

  it("S254 the second variant allows an underscore", () => {
    expect(is.isUsernameWithUnderscore("zhang_min")).toBe(true);
    expect(is.isUsernameWithUnderscore("zhang-min")).toBe(false);
  });

  it.each([
    ["abc123", true],
    ["ab123", false],
    ["abcdef", false],
    ["123456", false],
    [`a1${"x".repeat(28)}`, true],
    [`a1${"x".repeat(29)}`, false],
    ["密码a1密码", true],
    ["abc12\u0000", false],
  ])("S255 password %j", (value, ok) => {
    expect(is.isPassword(value)).toBe(ok);
  });

  it("S256 the plain word", () => {
    expect(is.isPlainWord("")).toBe(true);
    expect(is.isPlainWord("a_1")).toBe(true);
    expect(is.isPlainWord("a".repeat(31))).toBe(false);
    expect(is.isPlainWord("a-b")).toBe(false);
  });

  it.each([
    ["a@b.cn", true],
    ["a.b+c@lab.example.org", true],
    ["a@b", false],
    ["a b@c.cn", false],
    ["@c.cn", false],
    ["a@@c.cn", false],
  ])("S257 email %j", (value, ok) => {
    expect(is.isEmail(value)).toBe(ok);
  });

  it.each([
    ["13800138000", true],
    ["19912345678", true],
    ["12800138000", false],
    ["1380013800", false],
    ["138001380001", false],
  ])("S258 phone %j", (value, ok) => {
    expect(is.isPhone(value)).toBe(ok);
  });

  it("form rules leave the empty value to `required` and word the fault", async () => {
    await expect(is.rules.email.validator({}, "")).resolves.toBeUndefined();
    await expect(is.rules.email.validator({}, "x")).rejects.toThrow("邮箱格式不正确");
  });
});

describe("versions", () => {
  it("S091 compares part by part as numbers", () => {
    expect(compareVersions("4.10.0", "4.9.9")).toBeGreaterThan(0);
    expect(compareVersions("v4.3.29", "4.3.29")).toBe(0);
    expect(compareVersions("4.3", "4.3.1")).toBeLessThan(0);
  });

  it("S091 only a later one is newer", () => {
    expect(isNewer("4.3.30", "4.3.29")).toBe(true);
    expect(isNewer("4.3.29", "4.3.29")).toBe(false);
    expect(isNewer("4.3.9", "4.3.29")).toBe(false);
    expect(isNewer("4.3.29-10", "4.3.29-9")).toBe(true);
    expect(isNewer("4.3.29", "4.3.29-1")).toBe(false);
    expect(isNewer(undefined, "4.3.29")).toBe(false);
  });
});

describe("cookies", () => {
  it("keep what is odd in them and go when told", () => {
    writeCookie("a", "1=2; 三", { expires: daysFromNow(1) });
    writeCookie("b", "x");
    expect(readCookie("a")).toBe("1=2; 三");
    expect(readCookie("c")).toBeNull();
    removeCookie("a");
    expect(readCookie("a")).toBeNull();
    expect(readCookie("b")).toBe("x");
  });
});
