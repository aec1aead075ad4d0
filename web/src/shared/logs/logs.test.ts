import { describe, expect, it } from "vitest";
import { parseLine } from "./ansi";
import { linesWith, markedPieces } from "./find";
import { LogBuffer, mostLines } from "./log-lines";

const esc = "\u001b";

describe("a line of output", () => {
  it("keeps colours, also over the end of a line", () => {
    const first = parseLine(`ok ${esc}[1;31mbad`, {});
    expect(first.pieces).toEqual([
      { text: "ok " },
      { text: "bad", style: { color: "var(--ansi-red)", fontWeight: 600 } },
    ]);
    expect(parseLine(`more${esc}[0m`, first.pen).pieces).toEqual([
      { text: "more", style: { color: "var(--ansi-red)", fontWeight: 600 } },
    ]);
  });

  it.each([
    ["256 colours", `${esc}[38;5;196mx`, "rgb(255,0,0)"],
    ["true colours", `${esc}[38;2;1;2;3mx`, "rgb(1,2,3)"],
    ["bright ones", `${esc}[92mx`, "var(--ansi-bright-green)"],
  ])("%s", (_name, line, color) => {
    expect(parseLine(line, {}).pieces).toEqual([{ text: "x", style: { color } }]);
  });

  it("leaves out whatever else a terminal could be told", () => {
    const line = `${esc}]0;title\u0007a${esc}[2Jb${esc}[?25lc\u0000d${esc}Pq${esc}\\e`;
    expect(
      parseLine(line, {})
        .pieces.map(({ text }) => text)
        .join(""),
    ).toBe("abcde");
  });

  it("shows the last of what was written over itself", () => {
    expect(parseLine("10%\r50%\r100%", {}).pieces).toEqual([{ text: "100%" }]);
  });
});

describe("a log", () => {
  it("puts pieces together to lines, and ends without a line break", () => {
    const buffer = new LogBuffer();
    buffer.append("on");
    buffer.append("e\r\ntw");
    expect(buffer.snapshot().lines.map(({ text }) => text)).toEqual(["one"]);
    buffer.append("o");
    buffer.end();
    expect(buffer.snapshot().lines.map(({ text }) => text)).toEqual(["one", "two"]);
  });

  it("keeps the newest lines and says how many went", () => {
    const buffer = new LogBuffer();
    buffer.append(Array.from({ length: mostLines + 5 }, (_, index) => `${index}\n`).join(""));
    const { lines, omitted } = buffer.snapshot();
    expect([lines.length, omitted, lines[0]?.text]).toEqual([mostLines, 5, "5"]);
  });

  it("finds over the borders of colours", () => {
    const buffer = new LogBuffer();
    buffer.append(`no\nthe l${esc}[31moss${esc}[0m is\n`);
    const { lines } = buffer.snapshot();
    expect(linesWith(lines, "LOSS")).toEqual([1]);
    const [, line] = lines;
    const pieces = line ? markedPieces(line, "loss") : [];
    expect(pieces.map(({ text, found }) => [text, found])).toEqual([
      ["the ", false],
      ["l", true],
      ["oss", true],
      [" is", false],
    ]);
  });
});
