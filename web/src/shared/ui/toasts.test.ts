import { describe, expect, it } from "vitest";

const sources = import.meta.glob<string>("/src/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});

const seconds = { success: "1.5", error: "2", info: "1" };

/** The text between the parenthesis that opens before `from` and its closing one. */
function argumentsAt(source: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; depth > 0 && at < source.length; at++) {
    if ("([{".includes(source.charAt(at))) depth++;
    else if (")]}".includes(source.charAt(at))) depth--;
  }
  return source.slice(from, at - 1);
}

describe("toasts", () => {
  it("S398 stay for 2 s when something failed, 1.5 s when it worked, and 1 s otherwise", () => {
    const calls = Object.entries(sources)
      .filter(([file]) => !file.includes(".test."))
      .flatMap(([file, source]) =>
        [...source.matchAll(/\bmessage\.(success|error|info)\(/g)].map((match) => ({
          call: `${file}: ${match[0]}${argumentsAt(source, match.index + match[0].length)})`,
          lasts: seconds[match[1] as keyof typeof seconds],
        })),
      );
    expect(calls.length).toBeGreaterThan(50);
    const wrong = calls.filter(({ call, lasts }) => !new RegExp(`,\\s+${lasts},?\\s*\\)$`).test(call));
    expect(wrong.map(({ call }) => call)).toEqual([]);
    const opened = Object.values(sources).flatMap((source) => [
      ...source.matchAll(/type: "(success|error|info)"[^}]*?duration: ([\d.]+)/g),
    ]);
    expect(opened.length).toBeGreaterThan(3);
    for (const [text, type, duration] of opened)
      expect(duration, text).toBe(seconds[type as keyof typeof seconds]);
  });
});
