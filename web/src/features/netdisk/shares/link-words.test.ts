import { afterEach, describe, expect, it } from "vitest";
import { setSession } from "@/shared/stores/session";
import type { ShareLink } from "./api";
import { rememberPassword, useKnownPasswords } from "./known-passwords";
import { collectedText, messageOf, visitsText } from "./link-words";
import { easyPassword, passwordFault } from "./share-password";

const link: ShareLink = {
  hash: "HASH",
  path: "/home/论文 终稿.txt",
  userID: 7,
  expire: 0,
  hasPassword: true,
  created: "2027-01-15T08:00:00.000Z",
  downloads: 0,
  views: 1234,
};
const collect = { maxBytes: 10 * 1024 ** 3, maxFiles: 100, bytes: 1536, files: 3 };

describe("what is said of a link", () => {
  it("how much it has taken", () => {
    expect(collectedText(link)).toBeUndefined();
    expect(collectedText({ ...link, collect })).toBe("已收 3 / 100 个文件，1.50 KB / 10.00 GB");
  });

  it("how often and when it was opened", () => {
    expect(visitsText(link)).toBe("浏览 1,234 次");
    const visited = { ...link, lastVisit: "2027-01-15T08:00:00.000Z" };
    expect(visitsText(visited, new Date("2027-01-15T10:10:00.000Z"))).toBe(
      "浏览 1,234 次 · 最近访问 2 小时前",
    );
  });

  it("the message has the link and the password in it", () => {
    const address = "https://lab.example/share/HASH";
    expect(messageOf(link, address, "k7m2pq")).toBe(
      "分享文件：论文 终稿.txt\n链接：https://lab.example/share/HASH\n密码：k7m2pq",
    );
    expect(messageOf({ ...link, collect }, address, "k7m2pq")).toMatch(/^收集文件：/);
  });
});

describe("passwords", () => {
  afterEach(() => setSession({ id: 0 }));

  it("are easily passed on, and good enough for the server", () => {
    const made = new Set(Array.from({ length: 50 }, easyPassword));
    expect(made.size).toBe(50);
    for (const password of made) {
      expect(password).toMatch(/^[a-hj-kmnp-z2-9]{6}$/);
      expect(passwordFault(password)).toBeUndefined();
    }
  });

  it("are kept until somebody else is signed in", () => {
    setSession({ id: 7 });
    rememberPassword("HASH", "k7m2pq");
    expect(useKnownPasswords.getState().byHash).toEqual({ HASH: "k7m2pq" });
    setSession({ id: 7, name: "张敏" });
    expect(useKnownPasswords.getState().byHash).toEqual({ HASH: "k7m2pq" });
    setSession({ id: 8 });
    expect(useKnownPasswords.getState().byHash).toEqual({});
  });
});
