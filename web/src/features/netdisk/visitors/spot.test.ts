import { describe, expect, it } from "vitest";
import { hashAndPath, isOwnHost, isWebAddress, spotAddress } from "./spot";

describe("S037 the hash comes first, then the path in the share", () => {
  it.each([
    ["/share/HASH", "HASH", "/"],
    ["/share/HASH/", "HASH", "/"],
    ["/share/HASH/a%20b/%E5%9B%BE.png", "HASH", "/a b/图.png"],
    ["/share/HASH/50%25/%23%3F/", "HASH", "/50%/#?/"],
    ["/share/HASH/stray%", "HASH", "/stray%"],
    ["/share/", "", "/"],
    ["/share", "", "/"],
  ])("%s", (pathname, hash, path) => {
    expect(hashAndPath(pathname)).toEqual({ hash, path });
  });

  it("addresses lead back to where they come from", () => {
    const spot = { host: "https://disk.lab.example/x", hash: "HASH", path: "/" };
    const address = spotAddress(spot, '/50%/#?/ a"/');
    const { pathname, searchParams } = new URL(address, location.origin);
    expect(hashAndPath(pathname)).toEqual({ hash: "HASH", path: '/50%/#?/ a"/' });
    expect(searchParams.get("diskhost")).toBe(spot.host);
  });
});

describe("S038 the storage host in a link", () => {
  it.each([
    ["/disk", true],
    ["https://disk.lab.example", true],
    ["javascript:alert(1)", false],
    ["data:text/html,x", false],
    ["http://", false],
  ])("%s can be asked: %s", (host, can) => {
    expect(isWebAddress(host)).toBe(can);
  });

  it.each([
    ["/disk", "", true],
    ["/disk", "https://disk.lab.example", true],
    ["https://disk.lab.example/", "https://disk.lab.example", true],
    ["https://disk.lab.example", "/disk", false],
    ["https://disk.lab.example.evil.example", "https://disk.lab.example", false],
    ["//evil.example/disk", "/disk", false],
    ["/\\evil.example", "/disk", false],
  ])("%s where %s is configured is ours: %s", (host, configured, own) => {
    expect(isOwnHost(host, configured)).toBe(own);
  });
});
