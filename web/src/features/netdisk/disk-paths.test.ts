import { describe, expect, it } from "vitest";
import { diskBase, encodePath } from "@/shared/api/disk-client";
import { diskAddress } from "./disk-address";
import { asFolder, filesAddress, nameOf, parentOf, pathOfAddress, shownName } from "./disk-paths";

const hardNames = [
  "a b.txt",
  "#1.txt",
  "what?.txt",
  "100%.txt",
  "%2F.txt",
  "%41",
  "quo'te\".txt",
  "表情😀.txt",
  " leading",
  "two\nlines",
  "back\\slash",
  "$&",
  "...",
  "a+b&c=d;e,f",
];

describe("paths in the address", () => {
  it.each(hardNames)("S269 %j survives the way into the address and back", (name) => {
    for (const path of [`/share/${name}`, `/share/${name}/`, `/${name}/x.txt`]) {
      const { pathname } = new URL(filesAddress(path), "http://lab.test");
      expect(pathOfAddress(pathname)).toBe(path);
    }
  });

  it("S077 S115 the root and folders end with a slash", () => {
    expect(filesAddress("/")).toBe("/netdisk/files/");
    expect(pathOfAddress("/netdisk/files")).toBe("/");
    expect(pathOfAddress("/netdisk/files/a/b/")).toBe("/a/b/");
    expect(asFolder("/a")).toBe("/a/");
    expect(asFolder("/a/")).toBe("/a/");
  });

  it("takes a stray percent sign and doubled slashes as they were meant", () => {
    expect(pathOfAddress("/netdisk/files/100%/x")).toBe("/100%/x");
    expect(pathOfAddress("/netdisk/files//a///b/")).toBe("/a/b/");
  });

  it("encodes half a surrogate pair as the replacement character", () => {
    expect(encodePath("/\ud83d")).toBe("/%EF%BF%BD");
  });

  it("knows names and parents", () => {
    expect(nameOf("/a/b/")).toBe("b");
    expect(nameOf("/")).toBe("");
    expect(parentOf("/a/b/")).toBe("/a/");
    expect(parentOf("/a.txt")).toBe("/");
  });

  it("does not let a name pretend to another ending", () =>
    expect(shownName("a\u202etxt.exe")).toBe("a\ufffdtxt.exe"));

  it("shows line breaks as pictures", () => expect(shownName("two\nlines")).toBe("two␊lines"));
});

describe("addresses of the storage host", () => {
  it("S343 builds them below this origin or at another host", () => {
    expect(diskAddress("/disk", "raw", "/a b.txt").href).toBe("http://lab.test/disk/api/raw/a%20b.txt");
    expect(diskBase("https://store.lab.test:8443/d/")).toBe("https://store.lab.test:8443/d");
    const address = diskAddress("/disk", "resources", "/x#?.txt", { override: "true" });
    expect(address.pathname).toBe("/disk/api/resources/x%23%3F.txt");
    expect(address.search).toBe("?override=true");
  });
});
