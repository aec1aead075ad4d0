import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { crates } from "./crates";
import { type Licensed, licenceTexts, thirdParty } from "./licence-texts";
import { bundled, packagePath } from "./third-party";

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

function folderOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "licences-"));
  made.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const one = (name: string, texts: string[], rest: Partial<Licensed> = {}): Licensed => ({
  name,
  version: "1.0.0",
  licence: "MIT",
  source: "npm",
  link: `https://lab.test/${name}`,
  texts,
  ...rest,
});

describe("third-party licences", () => {
  it("texts are found beside the sources of a package and of what it brings along", () => {
    const folder = folderOf({
      "LICENSE-MIT": "mit\r\n",
      "license.md": "md",
      "licenses.rs": "code",
      "bundled/COPYING": "bundled",
      "tool/COPYING.GPLv3": "  GNU GENERAL PUBLIC LICENSE\n Version 3",
      "tests/LICENSE": "of a fixture",
      "node_modules/other/LICENSE": "of another",
    });
    expect(licenceTexts(folder)).toEqual(["mit", "md", "bundled"]);
  });

  it("each text is kept once, and the order is that of names, however they were found", () => {
    const found = [one("b", ["same text"]), one("a", ["own"]), one("c", ["same\n  text"])];
    const list = thirdParty(found);
    expect(list.packages.map(({ name, texts }) => [name, texts])).toEqual([
      ["a", [0]],
      ["b", [1]],
      ["c", [1]],
    ]);
    expect(thirdParty(found.toReversed()).packages).toEqual(list.packages);
  });

  it("a package without a text has that of its sources, else the one that is the same for all", () => {
    const apache = "Apache License\n   Version 2.0, January 2004";
    const { packages, texts } = thirdParty([
      one("macro", [], { link: "https://lab.test/whole" }),
      one("whole", ["theirs"]),
      one("lone", []),
      one("plain", [], { licence: "Apache-2.0 OR MIT" }),
      one("with", [apache], { licence: "Apache-2.0" }),
    ]);
    const of = Object.fromEntries(packages.map((found) => [found.name, found.texts.map((at) => texts[at])]));
    expect(of).toEqual({ macro: ["theirs"], whole: ["theirs"], lone: [], plain: [apache], with: [apache] });
  });

  it.each([
    ["/w/node_modules/react/index.js", "node_modules/react"],
    ["\0/w/node_modules/@a/b/x.js?commonjs", "node_modules/@a/b"],
    ["/w/node_modules/a/node_modules/@b/c/d/e.css", "node_modules/a/node_modules/@b/c"],
    ["/w/src/main.tsx", undefined],
  ])("the package of %s", (id, path) => {
    expect(packagePath(id)).toBe(path);
  });

  it("npm packages have name, version, licence and text; what only builds the pages may not be in them", () => {
    const [react] = bundled(["/w/node_modules/react/index.js", "/w/node_modules/react/jsx-runtime.js"]);
    expect(react).toMatchObject({ name: "react", licence: "MIT", source: "npm" });
    expect(react?.texts.join()).toContain("Permission is hereby granted");
    expect(() => bundled(["/w/node_modules/vite/dist/client.mjs"])).toThrow("no dependency");
  });

  it("crates are those in the program", { timeout: 120_000 }, () => {
    const found = crates();
    const names = found.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["std", "axum", "tokio", "libsqlite3-sys", "seccompiler"]));
    // Tests, procedural macros, build scripts, and our own.
    for (const name of ["proptest", "serde_derive", "cc", "portal"]) expect(names).not.toContain(name);
    expect(found.filter(({ licence }) => licence === "")).toEqual([]);
    expect(found.find(({ name }) => name === "zstd-sys")?.texts.join()).toContain("Meta Platforms");
  });
});
