import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isAllowed, type Lock, licenceFaults } from "./licences";

const lock: Lock = JSON.parse(readFileSync(join(import.meta.dirname, "../package-lock.json"), "utf8"));

describe("licences of npm packages", () => {
  it("every package has one that may come in", () => {
    expect(Object.keys(lock.packages).length).toBeGreaterThan(300);
    expect(licenceFaults(lock)).toEqual([]);
  });

  it("one that may not is refused, and so is none", () => {
    const packages = {
      "": { version: "1.0.0" },
      "node_modules/good": { version: "1.0.0", license: "MIT" },
      "node_modules/copyleft": { version: "1.0.0", license: "GPL-3.0-only" },
      "node_modules/@x/silent": { version: "2.0.0" },
      "node_modules/good/node_modules/weak": { version: "1.0.0", license: "MPL-2.0" },
      "node_modules/tool": { version: "1.0.0", license: "MPL-2.0", dev: true },
      "node_modules/bad-tool": { version: "1.0.0", license: "AGPL-3.0-only", dev: true },
      // Looked at in another version.
      "node_modules/combine-errors": { version: "9.0.0" },
      "node_modules/duck": { version: "9.0.0", license: "BSD" },
      "node_modules/lop/node_modules/duck": { version: "0.1.12", license: "BSD" },
      "node_modules/pako": { version: "1.0.11", license: "(MIT AND Zlib)" },
    };
    expect(licenceFaults({ packages })).toEqual([
      "copyleft@1.0.0 (pages): GPL-3.0-only",
      "@x/silent@2.0.0 (pages): no licence",
      "weak@1.0.0 (pages): MPL-2.0",
      "bad-tool@1.0.0 (tool): AGPL-3.0-only",
      "combine-errors@9.0.0 (pages): no licence",
      "duck@9.0.0 (pages): BSD",
    ]);
  });

  it.each([
    ["MIT", true],
    ["GPL-3.0-only OR MIT", true],
    ["(MIT OR CC0-1.0)", true],
    ["MIT AND GPL-3.0-only", false],
    ["(GPL-2.0-only OR ISC) AND MIT", true],
    ["ISC OR GPL-2.0-only AND GPL-3.0-only", true],
    ["(MIT", false],
    ["MIT ISC", false],
    ["SEE LICENSE IN LICENSE.txt", false],
    ["", false],
  ])("%s", (expression, expected) => {
    expect(isAllowed(expression, new Set(["MIT", "ISC"]))).toBe(expected);
  });
});
