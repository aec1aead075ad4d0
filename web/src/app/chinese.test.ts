// The texts in the pages themselves. Texts from the server are already Chinese.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (path) => path.endsWith(".tsx") && !path.endsWith(".test.tsx"),
);

/** Meant literally by the specification. */
const literal = ["you browser can not work"];

/** Two words or more, and none of them Chinese. */
const sentence = /^\s*[A-Za-z][a-z']+(?: [A-Za-z][a-z']+)+[.!?]?\s*$/;

/** The displayed texts of a source: text between tags, and the text of labels, titles and messages. */
function words(source: string): string[] {
  const shown = [
    />([^<>{}=;()]+)</g,
    /\b(?:label|title|alt|placeholder|aria-label|description|note|text)(?:=|: )"([^"]+)"/g,
    /\bmessage\.\w+\("([^"]+)"/g,
  ];
  return shown.flatMap((pattern) => [...source.matchAll(pattern)].map(([, text = ""]) => text));
}

describe("S026 the interface is Chinese only", () => {
  it("finds a sentence of another language", () => {
    const source = '<p>Nothing here yet</p><Button aria-label="Close it" title="关闭">';
    expect(words(source).filter((text) => sentence.test(text))).toEqual(["Nothing here yet", "Close it"]);
  });

  it("no page has one", () => {
    expect(sources.length).toBeGreaterThan(100);
    const found = sources.flatMap((path) =>
      words(readFileSync(join(root, path), "utf8"))
        .filter((text) => sentence.test(text) && !literal.includes(text))
        .map((text) => `${path}: ${text}`),
    );
    expect(found).toEqual([]);
  });

  it("the document and the components say so", () => {
    expect(readFileSync(join(root, "../index.html"), "utf8")).toContain('<html lang="zh-CN">');
    expect(readFileSync(join(root, "app/theme/ThemeProvider.tsx"), "utf8")).toMatch(
      /antd\/locale\/zh_CN[\s\S]*dayjs\.locale\("zh-cn"\)/,
    );
  });
});
