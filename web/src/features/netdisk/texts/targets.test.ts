import { describe, expect, it } from "vitest";
import { frontOf, targetOf } from "./targets";

describe("addresses in a text", () => {
  it.each([
    ["img/a.png", "/home/docs/img/a.png"],
    ["./a%20b.png", "/home/docs/a b.png"],
    ["../c.md#part", "/home/c.md"],
    ["/share/d/", "/share/d/"],
    ["../../..", null],
    ["https://e.org/a", null],
    ["//e.org/a", null],
    ["javascript:x()", null],
    ["data:image/png,x", null],
    ["#part", null],
    ["%zz", null],
  ])("%s", (address, path) => expect(targetOf("/home/docs/", address)).toBe(path));

  it("facts before the text are apart", () => {
    expect(frontOf("---\ntitle: x\n---\n# a")).toEqual({ front: "title: x", rest: "# a" });
    expect(frontOf("# a\n---\nb")).toEqual({ front: "", rest: "# a\n---\nb" });
  });
});
