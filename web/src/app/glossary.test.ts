// The words of the pages: one for each thing, as the glossary has them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const glossary = readFileSync(join(root, "../../docs/GLOSSARY.md"), "utf8");

/** Each banned word with the word to use instead. */
const banned = (glossary.split("## Words that pages do not use")[1] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("- `"))
  .flatMap((line) => {
    const [words = "", instead = ""] = line.split("→");
    return [...words.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => ({ word, instead: instead.trim() }));
  });

/** Sources of pages, without tests and the generated types. */
const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (path) => /\.tsx?$/.test(path) && !/(\.test\.tsx?|\.d\.ts|mock\.ts|test-\w+\.ts)$/.test(path),
);

/** A source without its comments, which may name what is not to be used. */
const withoutComments = (source: string) =>
  source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");

describe("U25 one word for each thing", () => {
  it("the glossary has words to avoid", () => {
    expect(banned.length).toBeGreaterThan(3);
    expect(banned.find(({ word }) => word === "GPU 卡")?.instead).toMatch(/^显卡/);
    for (const { word, instead } of banned) expect(instead, word).not.toBe("");
  });

  it("comments do not count, texts do", () => {
    const source = '// GPU 卡\n/* GPU 卡 */\nconst a = "GPU 卡"; // GPU 卡\n';
    expect(withoutComments(source).match(/GPU 卡/g)).toHaveLength(1);
  });

  it("no page has one of them", () => {
    expect(sources.length).toBeGreaterThan(500);
    const found = sources.flatMap((path) => {
      const source = withoutComments(readFileSync(join(root, path), "utf8"));
      return banned
        .filter(({ word }) => source.includes(word))
        .map(({ word, instead }) => `${path}: ${word} → ${instead}`);
    });
    expect(found).toEqual([]);
  });

  it("models of cards are shortened by one function wherever they are read", () => {
    const raw = /(?<!title=)\{gpu\.model\}|\$\{(?:gpu\.)?model\}/;
    expect(raw.test("<small title={gpu.model}>{shortModel(gpu)}</small>")).toBe(false);
    expect(raw.test("<small>{gpu.model}</small>")).toBe(true);
    const found = sources.filter((path) => raw.test(readFileSync(join(root, path), "utf8")));
    // The first takes shortened ones, the second is an order about one particular card.
    const meant = ["text.ts", "card-fault.ts"].map((name) => join("shared", "compute", name));
    expect(found.filter((path) => !meant.includes(path))).toEqual([]);
  });
});
