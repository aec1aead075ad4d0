import { describe, expect, it } from "vitest";
import { withoutWords, wordsIn } from "./search-words";

describe("the words in an address", () => {
  it("are what is looked for, trimmed; nothing is looked for without any", () => {
    expect(wordsIn("?sort=size&search=a+%26%20b")).toBe("a & b");
    for (const search of ["", "?search=", "?search=%20", "?sort=size"]) expect(wordsIn(search)).toBeNull();
  });

  it("stay behind when another place is opened", () => {
    expect(withoutWords("?sort=size&search=a&order=desc")).toBe("?sort=size&order=desc");
    expect(withoutWords("?search=a")).toBe("");
  });
});
